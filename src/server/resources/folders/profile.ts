import type { Issue } from '../../errors.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { present } from '../../model/objects.ts';
import { mergeObject } from '../../model/properties.ts';
import { objectIssues, textIssues } from '../entities/body.ts';
import type { JsonMap } from '../wire.ts';
import type { UpdateFolderBody } from './wire.ts';

type Profile = Pick<UpdateFolderBody, 'label' | 'description' | 'rich_description' | 'metadata'>;

/** The properties of a body, with its root members merged into them. */
export function profiled({ properties, ...body }: Profile & { properties?: JsonMap | undefined }): JsonMap {
  const { label, description, rich_description, metadata } = body;
  const members = present({ label, description, rich_description, metadata });
  return mergeObject((properties ?? {}) as JsonObject, members as JsonObject);
}

/** What is wrong with the root members by themselves. */
export function profileIssues({ label, description, rich_description, metadata }: Profile): Issue[] {
  return [...textIssues({ label, description, rich_description }), ...objectIssues(metadata, ['metadata'])];
}
