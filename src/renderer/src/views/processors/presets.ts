import type { Port } from './form-values.ts';

/** Actions that processors usually need; any other can be typed. */
export const usualActions = [
  'entity:view',
  'entity:create',
  'entity:update',
  'entity:delete',
  'entity:restore',
  'collection:view',
  'collection:update',
  'file:view',
  'file:create',
  'file:update',
  'file:download',
  'folder:view',
  'folder:create',
  'folder:update',
];

/** Types of entities that processors usually take or make. */
export const usualTypes = ['*', 'file', 'document', 'folder', 'fixity_check'];

/** What the commands that come along take and give (docs/processors.md). */
export interface Preset {
  accepts: Port;
  produces: Port;
}

const actions = ['entity:view', 'entity:create', 'entity:update'];

export const presetActions: readonly string[] = actions;

export const presets: ReadonlyMap<string, Preset> = new Map([
  ['extract-text', preset(['file'], 'one', ['document'], 'one')],
  ['image-metadata', preset(['file'], 'one', ['file'], 'one')],
  ['fixity', preset(['*'], 'many', ['*'], 'many')],
  ['combine-text', preset(['*'], 'many', ['document'], 'one')],
]);

function preset(
  takes: string[],
  howMany: Port['cardinality'],
  gives: string[],
  givesMany: Port['cardinality'],
): Preset {
  return { accepts: { types: takes, cardinality: howMany }, produces: { types: gives, cardinality: givesMany } };
}
