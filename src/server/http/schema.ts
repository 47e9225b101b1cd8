/** What build/generate.ts writes of a type: tsoa's reading of an interface and its JSDoc limits. */
export interface Schema {
  dataType?: string;
  /** The name of a model. */
  ref?: string;
  required?: boolean;
  array?: Schema;
  enums?: (string | number | boolean | null)[];
  subSchemas?: Schema[];
  validators?: Record<string, { value?: unknown; errorMsg?: string }>;
  default?: unknown;
  nestedProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

export type Model =
  | { dataType: 'refEnum'; enums: (string | number)[] }
  | { dataType: 'refObject'; properties: Record<string, Schema>; additionalProperties?: boolean | Schema }
  | { dataType: 'refAlias'; type: Schema };

export type Models = Record<string, Model>;

/** Where an argument of a controller's method comes from. */
export interface Parameter extends Schema {
  in: string;
  name: string;
}
