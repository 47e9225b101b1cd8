import { createContext, use, useLayoutEffect } from 'react';
import type { Json } from '../model/json.ts';

export type Path = readonly (string | number)[];

/** What the fields of a form share: where a value goes, and what of it cannot be saved. */
export interface FormState {
  change(path: Path, value: Json | undefined): void;
  rename(path: Path, from: string, to: string): void;
  /** Says that what stands at a place is no value, or is one again; see `useFault`. */
  fault(place: string, wrong: boolean): void;
  /** The service's name in inline references. */
  service: string;
}

export const FormContext = createContext<FormState | null>(null);

export function useForm(): FormState {
  const form = use(FormContext);
  if (!form) throw new Error('a field stands outside of a form');
  return form;
}

/** Says that what stands in a field is no value, while it is none and the field is there. */
export function useFault(path: Path, wrong: boolean): void {
  const { fault } = useForm();
  const place = pathName(path);
  // With the sign that was typed, so that no key saves without it.
  useLayoutEffect(() => {
    if (!wrong) return;
    fault(place, true);
    return () => fault(place, false);
  }, [fault, place, wrong]);
}

/** A path as one text, also as a part of ids. */
export function pathName(path: Path): string {
  return path.map((part) => encodeURIComponent(part)).join('/');
}
