import { setTimeout as sleep } from 'node:timers/promises';
import { brokenPromises } from '../../faults/promises.ts';
import { seeded } from '../../helpers/seeded.ts';
import { indexed } from '../indexed.ts';
import { startNode } from '../processes.ts';
import { type Acknowledged, client, type Kind, kinds } from './client.ts';
import { gaugesOf } from './gauges.ts';
import { prepare } from './scene.ts';
import { minuteLine } from './tables.ts';
import { Tally } from './tally.ts';
import { type Minute, type Verdict, verdicts } from './verdict.ts';

export interface Soak {
  data: string;
  seconds: number;
  /** From one line to the next. */
  lapSeconds: number;
  clients: number;
  /** Requests a second of all clients. */
  rate: number;
  /** How many there are when the load begins. */
  entities: number;
  say: (line: string) => void;
}

export interface Soaked {
  minutes: Minute[];
  /** What was answered, also after the last minute. */
  answered: ReadonlySet<Kind>;
  verdicts: Verdict[];
  problems: string[];
}

/** Keeps one node under a mixed load that it can bear, and looks at the end whether everything that it answered is there. */
export async function soak({ data, seconds, lapSeconds, clients, rate, entities, say }: Soak): Promise<Soaked> {
  await using node = await startNode(data, {}, { quiet: true });
  node.rest();
  const scene = await prepare(node, entities, seeded(1));
  await indexed(node);
  say(`${entities.toLocaleString('en-US')} entities are there; ${clients} clients, ${rate} requests a second`);

  const tally = new Tally();
  const acknowledged: Acknowledged[] = [{ versions: scene.made.map(({ id, cid }) => [id, cid]) }];
  const end = performance.now() + seconds * 1000;
  const minutes: Minute[] = [];
  const load = Array.from({ length: clients }, (_, n) =>
    client(node, {
      scene,
      first: kinds[n % kinds.length] as Kind,
      own: scene.made.filter((_, i) => i % clients === n),
      random: seeded(n + 2),
      tally,
      acknowledge: (one) => void acknowledged.push(one),
      pause: (1000 * clients) / rate,
      isOver: () => performance.now() >= end,
    }),
  );
  for (let lap = 1; lap <= seconds / lapSeconds; lap++) {
    await sleep(Math.max(0, end - 1000 * (seconds - lap * lapSeconds) - performance.now()));
    const minute = { ...tally.lap(), gauges: await gaugesOf(node) };
    minutes.push(minute);
    say(minuteLine(`${lap} of ${Math.floor(seconds / lapSeconds)}`, minute, lapSeconds));
  }
  await Promise.all(load);
  const rest = tally.lap();
  const answered = new Set([...minutes, rest].flatMap(({ times }) => [...times.keys()]));
  if (rest.errors > 0) minutes.push({ ...rest, gauges: await gaugesOf(node) });
  const broken = await brokenPromises(node, acknowledged);
  const versions = acknowledged.reduce((sum, one) => sum + ('versions' in one ? one.versions.length : 0), 0);
  const kept = {
    what: 'every answered version and file is there, verify finds nothing',
    found: `${versions.toLocaleString('en-US')} versions, ${broken.length} problems`,
    ok: broken.length === 0,
  };
  return { minutes, answered, verdicts: [...verdicts(minutes), kept], problems: [...tally.problems, ...broken] };
}
