import { describe, expect, it } from 'vitest';
import { type LatentFacts, packFacts, unpackFacts } from '../../src/server/search/latent/facts.ts';
import { LatentModel } from '../../src/server/search/latent/latent-model.ts';
import { LatentLearner } from '../../src/server/search/latent/learner.ts';
import { orthonormalized } from '../../src/server/search/latent/matrix.ts';
import { dot } from '../../src/server/search/latent/vectors.ts';
import { seeded } from '../helpers/seeded.ts';
import { namedTopics, topicTitles, topicWords } from '../helpers/topics.ts';

function learned(titles: readonly string[]): LatentFacts | null {
  const learner = new LatentLearner();
  for (const title of titles) learner.add({ title, text: '' });
  const steps = learner.learned();
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

const titles = topicTitles(800).map(({ title }) => title);
const facts = learned(titles) as LatentFacts;
const model = new LatentModel(facts);
const vectorOf = (title: string): Float32Array => model.embed([{ title, text: '' }])[0] as Float32Array;

describe('what is learned from texts', () => {
  it('brings together words that go together, also those that never stand in one text', () => {
    for (const topic of namedTopics) {
      const [one = '', ...others] = topicWords(topic);
      const strangers = namedTopics.filter((name) => name !== topic).flatMap(topicWords);
      const near = Math.min(...others.map((word) => dot(vectorOf(one), vectorOf(word))));
      const far = Math.max(...strangers.map((word) => dot(vectorOf(one), vectorOf(word))));
      expect(near, topic).toBeGreaterThan(far);
    }
  });

  it('places a word that was never seen near those it looks like', () => {
    const misspelled = vectorOf('lighthuose');
    expect(dot(misspelled, vectorOf('lighthouse'))).toBeGreaterThan(0.5);
    expect(dot(misspelled, vectorOf('coronation'))).toBeLessThan(0.3);
  });

  it('is the same for the same texts, and through its bytes', () => {
    expect(Buffer.from(packFacts(learned(titles) as LatentFacts)).equals(packFacts(facts))).toBe(true);
    expect(unpackFacts(packFacts(facts))).toEqual(facts);
  });

  it('is nothing where there is too little', () => {
    expect(learned(['harbour sailor', 'harbour anchor', 'sailor anchor'])).toBeNull();
    expect(learned([])).toBeNull();
  });

  it('gives vectors of length 1, and none for texts of which nothing is known', () => {
    const vector = vectorOf('harbour at low tide');
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(
      model.embed([
        { title: '', text: '' },
        { title: '1929 12', text: '∆ ∂' },
      ]),
    ).toEqual([null, null]);
  });
});

describe('columns', () => {
  const random = seeded(3);
  const [width, height] = [12, 300];
  const columns = Float32Array.from({ length: width * height }, () => random() - 0.4);
  // The last one depends on two others.
  for (let row = 0; row < height; row++)
    columns[row * width + 11] = 2 * (columns[row * width] as number) - (columns[row * width + 1] as number);

  it('become orthogonal and of length 1, and 0 where they depend on others', () => {
    const steps = orthonormalized(columns, width);
    while (!steps.next().done);
    for (let i = 0; i < width; i++)
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let at = 0; at < columns.length; at += width)
          sum += (columns[at + i] as number) * (columns[at + j] as number);
        expect(sum, `${i} ${j}`).toBeCloseTo(i === j && i < 11 ? 1 : 0, 4);
      }
  });
});
