import { createContext, use } from 'react';
import type { Json } from '../model/json.ts';

export type Path = readonly (string | number)[];

/** What the fields of a form share: where a value goes. */
export interface FormState {
  change(path: Path, value: Json | undefined): void;
  rename(path: Path, from: string, to: string): void;
  /** The version over which is typed; none where it is not of one. */
  version: string;
  /** The service's name in inline references. */
  service: string;
}

export const FormContext = createContext<FormState | null>(null);

export function useForm(): FormState {
  const form = use(FormContext);
  if (!form) throw new Error('a field stands outside of a form');
  return form;
}
