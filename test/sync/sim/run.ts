import fc from 'fast-check';
import { optionsOf } from '../../helpers/options.ts';
import { nothingIsLost } from './property.ts';

// Plays many simulations; `--seed` with `--path` plays again what an earlier run printed.
const values = optionsOf(
  {
    seeds: { type: 'string', default: '1000' },
    steps: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string' },
  },
  'npm run sim -- [--seeds 1000] [--steps 600] [--seed 1] [--path PATH]',
);
const sum = { steps: 0, edits: 0, merges: 0, decided: 0, kills: 0, resets: 0 };
const property = nothingIsLost(Number(values.steps), ({ broken: _, ...outcome }, steps) => {
  sum.steps += steps;
  for (const [name, count] of Object.entries(outcome) as [keyof typeof outcome, number][]) sum[name] += count;
});
const details = fc.check(property, {
  numRuns: Number(values.seeds),
  seed: Number(values.seed),
  ...(values.path !== undefined && { path: values.path }),
});
if (details.failed) {
  const [path] = details.counterexamplePath?.split(':') ?? [];
  console.log(`${(details.errorInstance as Error | null)?.message ?? ''}\n${fc.defaultReportMessage(details)}`);
  console.log(`Again: npm run sim -- --steps ${values.steps} --seed ${details.seed} --path ${path}`);
  process.exitCode = 1;
} else console.log(`${details.numRuns} simulations, none broken; ${JSON.stringify(sum)}`);
