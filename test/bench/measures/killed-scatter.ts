import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../helpers/free-port.ts';
import { call } from '../call.ts';
import { prepareScatter, type Scatter, type Status, startKladoi } from '../kladoi.ts';
import { type Node, startNode } from '../processes.ts';
import { atLeastRow, plainRow } from '../report.ts';

const scattered = 5000;
/** Of a job, so that one whose request the kill took away is missed soon. */
const expires_in = 120;

/** A workflow over many targets whose node is killed when half of them are done, and started again: what comes of it. */
export async function measureKilledScatter(data: string): Promise<void> {
  await using kladoi = await startKladoi(true);
  const port = await freePort();
  let node = await startNode(data, {}, { port });
  try {
    const scatter = await prepareScatter(node, kladoi, scattered);
    const begun = performance.now();
    const { job_id, job_collection } = await scatter.start({ expires_in });
    const look = () => call<Status>(node, `GET ${scatter.status(job_id)}`);
    while ((await look()).progress.done < scattered / 2) await sleep(50);
    process.kill(node.pid, 'SIGKILL');
    await node.gone;
    node = await startNode(data, {}, { port });
    plainRow(`scatter over ${scattered}: done when its node was killed`, (await look()).progress.done, 'jobs');

    let resumed = 0;
    for (let now = await look(); now.status !== 'done'; now = await look()) {
      if (now.status === 'error') {
        // What the kill met between the disk and the wire never arrived: it times out, and is sent again.
        resumed += (await call<{ resumed: number }>(node, `POST /rhizai/${scatter.rhiza}/jobs/${job_id}/resume`, {}))
          .resumed;
        if (resumed > scattered) throw new Error('the workflow fails again and again');
      }
      await sleep(500);
    }
    plainRow('its jobs that were lost and resumed', resumed, 'jobs');
    plainRow('from its beginning to its end', (performance.now() - begun) / 1000, 's');
    const own = await ownResults(node, scatter, job_collection);
    atLeastRow('its targets whose slot holds their result', own, `of ${scattered}`, scattered);
    const gathered = await gatheredTargets(node, job_id);
    if (gathered !== scattered) throw new Error(`the gather was begun with ${gathered} results`);
    if (kladoi.failures.length > 0) throw new Error(`a klados failed: ${kladoi.failures[0]}`);
  } finally {
    await node[Symbol.asyncDispose]();
  }
}

interface Slot {
  status: string;
  output_ids?: string[];
}

/** How many of the slots of the one complete batch hold what their own target became. */
async function ownResults(node: Node, { files }: Scatter, collection: string): Promise<number> {
  const { entities } = await call<{ entities: { id: string }[] }>(
    node,
    `GET /collections/${collection}/entities?type=batch`,
  );
  type Batch = { properties: { status: string; slots: Slot[] } };
  const batches = await Promise.all(entities.map(({ id }) => call<Batch>(node, `GET /entities/${id}`)));
  const complete = batches.filter(({ properties }) => properties.status === 'complete');
  if (complete.length !== 1) throw new Error(`${complete.length} batches are complete`);
  const slots = complete[0]?.properties.slots ?? [];
  return files.filter((file, i) => slots[i]?.status === 'complete' && slots[i].output_ids?.join() === file).length;
}

/** With how many results the one job of the last step was begun that is done. */
async function gatheredTargets(node: Node, job: string): Promise<number> {
  type Page = { total: number; jobs: { step: string; status: string; target_count: number }[] };
  const joins: number[] = [];
  for (let offset = 0, total = 1; offset < total; offset += 200) {
    const page = await call<Page>(node, `GET /node/jobs/${job}?offset=${offset}&limit=200`);
    total = page.total;
    for (const { step, status, target_count } of page.jobs)
      if (step === 'join' && status === 'done') joins.push(target_count);
  }
  if (joins.length !== 1) throw new Error(`${joins.length} gathers are done`);
  return joins[0] ?? 0;
}
