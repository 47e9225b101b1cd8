import type { Handler } from '../../src/server/kit/kit.ts';

/** For each document a `word_count`; what it returns is handed to the next step of the workflow. */
export const countWords: Handler = async ({ targets, job, input, api, note, error }) => {
  const made = [];
  for (const target of targets) {
    const { type, properties } = await api.read(target);
    if (typeof properties.text !== 'string') throw error('INVALID_INPUT', `${target} has no text.`);
    const words = properties.text.split(/\s+/).filter((word) => word !== '').length;
    if (words === 0) note('warning', `${target} is empty.`);
    const { id } = await api.create({
      type: 'word_count',
      collection: job.target_collection,
      properties: { label: `${words} words`, words, language: input.lang ?? null },
      relationships: [{ predicate: 'counts', peer: target, peer_type: type }],
    });
    // Beside the id stands what routes of the workflow may look at.
    made.push({ entity_id: id, words });
  }
  return made;
};
