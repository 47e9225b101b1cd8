import { UsageError } from '../../config.ts';
import { isEntityId } from '../../model/ids.ts';
import type { NodeClient } from './client.ts';
import { printable } from './table.ts';

/** Characters of a label that the node takes. */
const longest = 1000;

/**
 * The id of the collection that is meant: an id is taken as it is, all else is the label of one.
 * @throws UsageError where no collection has it, or several do
 */
export async function collectionNamed(client: NodeClient, wanted: string): Promise<string> {
  if (isEntityId(wanted)) return wanted;
  const path = `/node/names/collections?${new URLSearchParams({ label: wanted })}`;
  // What nobody can ask for is no label either.
  const { ids } = wanted.length > longest ? { ids: [] } : await client.ask<{ ids: string[] }>('GET', path);
  const [id, ...others] = ids;
  if (id === undefined) throw new UsageError(`There is no collection with the label or id ${printable(wanted)}.`);
  if (others.length > 0)
    throw new UsageError(
      `The label ${printable(wanted)} fits several collections: give the id, one of ${ids.join(', ')}.`,
    );
  return id;
}
