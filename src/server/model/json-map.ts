import { z } from 'zod';
import type { JsonObject } from './manifest.ts';
import { isObject } from './objects.ts';

/** An object of parsed JSON as it is: a `z.record` leaves out a member of the name `__proto__`, and tells nobody. */
export const jsonMap = z
  .unknown()
  .refine(isObject, 'must be an object')
  .meta({ type: 'object' })
  .transform((value) => value as JsonObject);
