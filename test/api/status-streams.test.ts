import { expect, test } from 'vitest';
import { JobScene } from '../helpers/job-scene.ts';

test('streams of nobody in particular leave some to those who are registered', async () => {
  await using scene = await JobScene.open();
  const { id } = await scene.klados('accept');
  const { job_id } = await scene.invoke(id);
  const gone = new AbortController();
  // Kept to the end: an answer that nobody has any more is given up with its stream.
  const answers: Response[] = [];
  const follow = async (headers: Record<string, string> = {}) => {
    const path = `${scene.node.url}/kladoi/${id}/jobs/${job_id}/status/stream`;
    const answer = await fetch(path, { headers, signal: gone.signal });
    answers.push(answer);
    return answer.status;
  };
  await Promise.all(Array.from({ length: 100 }, () => follow()));
  expect([200, 503].map((status) => answers.filter((answer) => answer.status === status).length)).toEqual([50, 50]);
  expect(await follow(scene.who.headers)).toBe(200);
  gone.abort();
});
