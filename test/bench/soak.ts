import { join } from 'node:path';
import { misused, optionsOf } from '../helpers/options.ts';
import { temporaryFolder } from './processes.ts';
import { soak } from './soak/run.ts';
import { report } from './soak/tables.ts';

// A mixed load for a long time, and whether anything grows, slows down or is lost: `npm run soak -- --minutes 30`.

const options = {
  minutes: { type: 'string', default: '30' },
  clients: { type: 'string', default: '64' },
  rate: { type: 'string', default: '200' },
  entities: { type: 'string', default: '100000' },
} as const;

const usage = 'npm run soak -- [--minutes 30] [--clients 64] [--rate 200] [--entities 100000], at least 1000 of these';
const values = optionsOf(options, usage);
const numbers = [values.minutes, values.clients, values.rate, values.entities].map(Number);
const [minutes = 0, clients = 0, rate = 0, entities = 0] = numbers;
if (!numbers.every((number) => number > 0) || ![clients, entities].every(Number.isInteger) || entities < 1000)
  misused('One of these is no number that a soak can have.', usage);

using folder = temporaryFolder();
const seconds = Math.round(minutes * 60);
// Even a short one has six lines, so that its parts can be compared.
const lapSeconds = Math.min(60, seconds / 6);
const data = join(folder.path, 'data');
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const soaked = await soak({ data, seconds, lapSeconds, clients, rate, entities, say });
process.stdout.write(`${report(soaked.minutes, soaked.verdicts)}\n`);
for (const problem of soaked.problems) process.stdout.write(`${problem}\n`);
process.exitCode = soaked.verdicts.every(({ ok }) => ok) ? 0 : 1;
