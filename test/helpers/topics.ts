import { seeded } from './seeded.ts';

const named = {
  sea: 'harbour schooner anchor sailor lighthouse regatta mariner tide quay buoy',
  field: 'plough harvest shepherd barley meadow orchard farmhouse scythe haystack furrow',
  court: 'emperor throne coronation sceptre courtier banquet heraldry regalia palace vassal',
};
export type NamedTopic = keyof typeof named;
export const namedTopics = Object.keys(named) as NamedTopic[];
export const topicWords = (topic: NamedTopic): string[] => named[topic].split(' ');

const syllables = 'ba de fi go hu ka le mi no pu ra se ti vo zu cha dre flo gri phu ste tro'.split(' ');
const wordsEach = 10;
const inTitle = 5;

/**
 * Titles of works about one thing each: of the ten words of a topic any five are in one of them, the same in every run.
 * The first topics are the named ones; those of another `seed` have words of their own, but for these.
 */
export function topicTitles(count: number, { topics = 40, seed = 1 } = {}): { topic: string; title: string }[] {
  const next = seeded(seed);
  const syllable = () => syllables[Math.floor(next() * syllables.length)] ?? '';
  const all = Array.from({ length: topics }, (_, i): [string, string[]] => {
    const name = namedTopics[i];
    if (name) return [name, topicWords(name)];
    return [`${seed}-${i}`, Array.from({ length: wordsEach }, () => syllable() + syllable() + syllable() + syllable())];
  });
  return Array.from({ length: count }, (_, i) => {
    const [topic, words] = all[i % topics] as [string, string[]];
    const chosen = words.map((word) => ({ word, at: next() })).toSorted((a, b) => a.at - b.at);
    return {
      topic,
      title: chosen
        .slice(0, inTitle)
        .map(({ word }) => word)
        .join(' '),
    };
  });
}
