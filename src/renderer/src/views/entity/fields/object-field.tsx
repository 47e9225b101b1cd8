import type { JsonMap } from '../model/json.ts';
import { PropertyRows } from './property-rows.tsx';
import type { FieldProps } from './value-field.tsx';

/** An object: its members in fields of their own, set in. */
export function ObjectField({ id, path, value, 'aria-label': label }: FieldProps<JsonMap>) {
  return (
    <fieldset id={id} aria-label={label} className="min-w-0 border-l-2 border-line pl-3">
      <PropertyRows id={id} path={path} value={value} />
    </fieldset>
  );
}
