import { parseArgs } from 'node:util';
import { simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    steps: { type: 'string', default: '300' },
    first: { type: 'string', default: '1' },
  },
});
const [seeds, steps, first] = [Number(values.seeds), Number(values.steps), Number(values.first)];
const sum = { edits: 0, merges: 0, decided: 0, kills: 0, resets: 0, rounds: 0 };
let broken = 0;
for (let seed = first; seed < first + seeds; seed++) {
  const outcome = simulate(seed, steps);
  for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += outcome[name];
  if (outcome.broken.length === 0) continue;
  if (++broken <= 10) console.log(`seed ${seed}:\n  ${outcome.broken.slice(0, 5).join('\n  ')}`);
}
console.log(`${seeds} seeds of ${steps} steps, ${broken} broken; ${JSON.stringify(sum)}`);
process.exitCode = broken > 0 ? 1 : 0;
