import { type Caller, operator } from '../../../model/caller.ts';
import type { RemoteStatus, SyncEngine } from '../../../sync/engine.ts';
import { emptyReport, type Report } from '../../../sync/report.ts';
import type { AddRemoteBody, RemotesView, RemoteView, SyncLineView, SyncPreviewView, SyncReportView } from './wire.ts';

/** How often a running sync says how far it is, in milliseconds. */
const progressEvery = 500;

/** The operator's remotes: what this node mirrors, pushes to, and has conflicts with. */
export class RemotesService {
  readonly #sync: SyncEngine;

  constructor(sync: SyncEngine) {
    this.#sync = sync;
  }

  async add(caller: Caller, body: AddRemoteBody): Promise<RemoteView> {
    operator(caller);
    return view(await this.#sync.add(caller.network, body));
  }

  async list(caller: Caller): Promise<RemotesView> {
    operator(caller);
    return { remotes: (await this.#sync.list(caller.network)).map(view) };
  }

  async read(caller: Caller, name: string): Promise<RemoteView> {
    operator(caller);
    return view(await this.#sync.status(caller.network, name));
  }

  async remove(caller: Caller, name: string): Promise<void> {
    operator(caller);
    await this.#sync.remove(caller.network, name);
  }

  /** Lines of progress while it runs, then what it did. `gone` ends it: whoever asked has left; `accept`:
   * they agree to whatever it changes. */
  async *sync(
    caller: Caller,
    name: string,
    { dryRun, accept, gone }: { dryRun: boolean; accept: boolean; gone: AbortSignal },
  ): AsyncGenerator<SyncLineView> {
    operator(caller);
    if (dryRun) {
      yield { preview: (await this.#sync.preview(caller.network, name)) as SyncPreviewView };
      return;
    }
    const report = emptyReport();
    const run = this.#sync.run(caller.network, name, report, { signal: gone, accept });
    // What it throws is thrown below.
    run.catch(() => undefined);
    while (!(await settledWithin(run, progressEvery))) yield { progress: { ...report } };
    yield { done: reportView(await run) };
  }
}

function reportView(report: Report): SyncReportView {
  return { ...report };
}

async function settledWithin(run: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = run.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

function view({ remote, seen, ...status }: RemoteStatus): RemoteView {
  const intervals = (lost: boolean) =>
    seen.filter((it) => it.lost === lost).map(({ first, last }) => ({ first, last }));
  return { ...remote, ...status, seen: intervals(false), lost: intervals(true) };
}
