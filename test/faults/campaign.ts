import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { misused, optionsOf } from '../helpers/options.ts';
import { killed, type Run } from './kills.ts';
import { cutNode, keepRecording, recordNode } from './node-cuts.ts';

// Kills the built node under load and cuts its power, again and again (docs/faults.md): `npm run crash -- --runs 1000`.

const usage = 'npm run crash -- [--runs N] [--seed N] [--only kills|cuts] [--recording FOLDER]';
const values = optionsOf(
  {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    recording: { type: 'string' },
  },
  usage,
);
const [runs, first] = [Number(values.runs), Number(values.seed)];
const { only, recording } = values;
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(first) || ![undefined, 'kills', 'cuts'].includes(only))
  misused('One of these is nothing that a campaign can have.', usage);

/** So many kills meet one data folder, and so many cuts one recording. */
const killsTogether = 20;
const cutsTogether = 40;
const begun = performance.now();
const tally = { kills: 0, cuts: 0, recordings: 0, promises: 0, broken: 0 };

function note(kind: 'kills' | 'cuts', { seed, promises, problems }: Run, again: string): void {
  tally[kind]++;
  tally.promises += promises;
  if ((tally.kills + tally.cuts) % 10 === 0) progress();
  if (problems.length > 0) say(kind, { seed, promises, problems }, again);
}

function say(kind: string, { seed, problems }: Run, again: string): void {
  tally.broken++;
  process.stdout.write(
    `${kind}, seed ${seed}: ${problems.length} problems; again: npm run crash -- --seed ${seed} --runs 1 ${again}\n`,
  );
  for (const problem of problems.slice(0, 10)) process.stdout.write(`  ${problem}\n`);
}

function progress(): void {
  const seconds = Math.round((performance.now() - begun) / 1000);
  const { kills, cuts, broken } = tally;
  process.stderr.write(
    `${kills + cuts} of ${runs}: ${kills} kills, ${cuts} power cuts, ${broken} broken, ${seconds} s\n`,
  );
}

async function kills(seeds: number[]): Promise<void> {
  for await (const run of killed(seeds)) note('kills', run, '--only kills');
}

async function cuts(seeds: number[]): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'archeion-recording-'));
  try {
    const wrong = await recordNode(place, seeds[0] ?? 0);
    tally.recordings++;
    const kept = join('out/faults', `recording-${seeds[0]}`);
    let isKept = false;
    await cutNode(place, seeds, (run) => {
      if (run.problems.length > 0 && !isKept) keepRecording(place, kept);
      isKept ||= run.problems.length > 0;
      note('cuts', run, `--recording ${kept}`);
    });
    if (wrong.length > 0) say('recording', { seed: seeds[0] ?? 0, promises: 0, problems: wrong }, '--only cuts');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
if (recording) await cutNode(recording, numbers(first, runs), (run) => note('cuts', run, `--recording ${recording}`));
else
  for (let done = 0, turn: 'kills' | 'cuts' = 'kills'; done < runs; turn = turn === 'kills' ? 'cuts' : 'kills') {
    const isKills = only ? only === 'kills' : turn === 'kills';
    const seeds = numbers(first + done, Math.min(runs - done, isKills ? killsTogether : cutsTogether));
    await (isKills ? kills(seeds) : cuts(seeds));
    done += seeds.length;
  }
process.stdout.write(
  `${tally.kills} kills and ${tally.cuts} power cuts in ${tally.recordings} recordings, first seed ${first}: ${tally.promises} promises looked at, ${tally.broken} runs broken\n`,
);
process.exitCode = tally.broken === 0 ? 0 : 1;
