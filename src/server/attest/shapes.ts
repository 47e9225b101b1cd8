import { z } from 'zod';
import { headFormat } from './head.ts';
import { hashBytes } from './leaf.ts';

// What files that come from anywhere are made of.

export const count = z.number().int().min(1);
/** Epoch milliseconds. */
export const time = z.number().int().min(0).max(8.64e15);
/** Base64url. */
export const hash = z.string().refine((text) => hashBytes(text) !== null, 'is no hash');

/** A signed head (head.ts). */
export const head = z.object({
  format: z.literal(headFormat),
  network: z.enum(['main', 'test']),
  instance: z.string(),
  size: count,
  root: hash,
  time,
  key_id: z.string(),
  signature: z.string(),
});
