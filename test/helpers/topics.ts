import { seeded } from './seeded.ts';

const topics = {
  sea: ['harbour', 'schooner', 'anchor', 'sailor', 'lighthouse', 'regatta', 'mariner', 'tide'],
  field: ['plough', 'harvest', 'shepherd', 'barley', 'meadow', 'orchard', 'farmhouse', 'scythe'],
  court: ['emperor', 'throne', 'coronation', 'sceptre', 'courtier', 'banquet', 'heraldry', 'regalia'],
};
export type Topic = keyof typeof topics;
export const topicNames = Object.keys(topics) as Topic[];

/** Titles of works about one thing each; of the words of a topic any five are in one of them, the same in every run. */
export function topicTitles(count: number, seed = 1): { topic: Topic; title: string }[] {
  const next = seeded(seed);
  return Array.from({ length: count }, (_, i) => {
    const topic = topicNames[i % topicNames.length] as Topic;
    const words = topics[topic].toSorted(() => next() - 0.5).slice(0, 5);
    return { topic, title: words.join(' ') };
  });
}

export const topicWords = (topic: Topic): string[] => topics[topic];
