import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { currentNetwork } from '../../api/client.ts';
import { useUnsaved } from '../../session/unsaved.ts';
import { attachFile, isAttached } from '../entity/files/attach-file.ts';
import { refuseUnsendable } from '../entity/files/refuse-unsendable.ts';
import { collectionOf, keepIn, type OnItsWay, settle, takeBack, takeBackUnanswered } from './keep-file.ts';
import type { Target } from './target.tsx';

/** What became of a file: the entity that has it, or why none has. */
export type Outcome = { entity: string } | { error: unknown };

/** Where files go: an entity that is there, or a collection. */
export type Place = { entity: string } | { target: Target };

/**
 * The entities of files that were kept, by network: who looks at one of them and comes back is not asked to keep those once more.
 */
const keptAs = { main: new WeakMap<File, string>(), test: new WeakMap<File, string>() };

/** Keeps files, one after the other. What fails is told, the others go on; what is left is tried again when that is asked for. */
export function useKeeping(files: readonly File[]) {
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState(() => outcomesBefore(files));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController>(undefined);
  /** The id of the place once there is one: a new collection is made once. */
  const place = useRef<string>(undefined);
  /** The ids of new collections that were asked for, by name. */
  const asked = useRef(new Map<string, string>());
  const ways = useRef(new Map<File, OnItsWay>());
  const running = useRef(Promise.resolve());
  const kept = files.filter((file) => isKept(outcomes.get(file))).length;
  const [begun, setBegun] = useState(kept === files.length);
  useUnsaved(busy || (begun && kept < files.length), 'files');
  useEffect(
    () => () => {
      stop.current?.abort();
      void running.current.then(() => Promise.all([...ways.current.values()].map(takeBack)));
    },
    [],
  );
  useEffect(() => {
    const onGone = ({ persisted }: PageTransitionEvent) => {
      // One that the browser may come back to goes on then.
      if (!persisted) for (const way of ways.current.values()) takeBackUnanswered(way);
    };
    addEventListener('pagehide', onGone);
    return () => removeEventListener('pagehide', onGone);
  }, []);

  const tell = (file: File, outcome: Outcome) => {
    if ('entity' in outcome) keptAs[currentNetwork()].set(file, outcome.entity);
    setOutcomes((old) => new Map(old).set(file, outcome));
  };
  const keep = async (to: Place, { signal }: AbortController) => {
    const tried = async (file: File, work: () => Promise<string | null>) => {
      try {
        const entity = await work();
        if (entity !== null) tell(file, { entity });
        return true;
      } catch (failed) {
        if (!signal.aborted) tell(file, { error: failed });
        return false;
      }
    };
    setBusy(true);
    setError(null);
    try {
      const readable: File[] = [];
      for (const file of files.filter((one) => !isKept(outcomes.get(one))))
        if (await tried(file, () => refuseUnsendable(file).then(() => null))) readable.push(file);
      if (readable.length > 0)
        place.current ??= 'entity' in to ? to.entity : await collectionOf(to.target, asked.current);
      setBegun(true);
      for (const file of readable) {
        if (signal.aborted) break;
        const id = place.current ?? '';
        const way = ways.current.get(file) ?? {};
        ways.current.set(file, way);
        const isHere = await tried(file, () =>
          'entity' in to ? attachFile(id, file, way, signal).then(() => id) : keepIn(id, file, way, signal),
        );
        if (isHere) ways.current.delete(file);
      }
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  };
  const start = (to: Place) => {
    if (busy) return;
    stop.current = new AbortController();
    running.current = keep(to, stop.current);
  };
  /**
   * What is left goes to another place: of what was on its way to this one nothing stays there, and what has come all the same
   * is kept. Gives the id of this place, if there is one; where the node cannot tell what has come, nothing becomes of it.
   */
  const elsewhere = async (): Promise<string | undefined> => {
    const id = place.current;
    const found = new Set<File>();
    setBusy(true);
    setError(null);
    try {
      for (const [file, way] of ways.current) {
        const isThere = way.key !== undefined && (await isAttached(id ?? '', file, way));
        const entity = isThere ? id : await settle(way);
        ways.current.delete(file);
        if (!entity) continue;
        tell(file, { entity });
        found.add(file);
      }
    } catch (failed) {
      setError(failed);
      return undefined;
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
    if (kept + found.size < files.length) {
      place.current = undefined;
      setOutcomes((old) => new Map([...old].filter(([, outcome]) => isKept(outcome))));
      setBegun(false);
    }
    return id;
  };
  return { outcomes, kept, begun, busy, error, start, stop: () => stop.current?.abort(), elsewhere };
}

function outcomesBefore(files: readonly File[]): ReadonlyMap<File, Outcome> {
  return new Map(
    files.flatMap((file): [File, Outcome][] => {
      const entity = keptAs[currentNetwork()].get(file);
      return entity === undefined ? [] : [[file, { entity }]];
    }),
  );
}

function isKept(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && 'entity' in outcome;
}
