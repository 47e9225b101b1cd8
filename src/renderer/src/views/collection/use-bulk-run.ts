import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Bulk, type BulkProgress, begun, goThrough } from './go-through.ts';
import { useStop } from './use-stop.ts';

/** What is under way or done. */
export interface Run {
  bulk: Bulk;
  busy: boolean;
  progress: BulkProgress;
}

/** A change of many entities, or its undoing, as it goes; it ends with its screen. */
export function useBulkRun() {
  const queries = useQueryClient();
  const [run, setRun] = useState<Run | null>(null);
  const { stop, isStopped, begin } = useStop();
  const goFrom = async (bulk: Bulk, from: BulkProgress) => {
    begin();
    setRun({ bulk, busy: true, progress: { ...from, halted: null } });
    const progress = await goThrough(bulk, from, {
      onProgress: (standing) => setRun({ bulk, busy: true, progress: standing }),
      stopped: isStopped,
    });
    setRun({ bulk, busy: false, progress });
    void queries.invalidateQueries();
  };
  return {
    run,
    start: (bulk: Bulk) => void goFrom(bulk, begun(bulk)),
    /** Goes through what was left when it was stopped. */
    goOn: () => run && void goFrom(run.bulk, run.progress),
    stop,
    clear: () => setRun(null),
  };
}
