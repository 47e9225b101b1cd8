import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { type Entity, entityQuery } from '../entity/entity-queries.ts';
import { same } from '../entity/model/json.ts';
import { changeProcessor } from './processor-queries.ts';
import type { Kind } from './processors-address.ts';

type Body = Record<string, unknown>;

interface ProcessorDraft<T> {
  kind: Kind;
  entity: Entity;
  /** What the entity says, in the form in which it is typed. */
  stored: T;
  /** What is sent to make the one of the other; null where it cannot be saved as it is. */
  bodyOf(base: T, now: T): Body | null;
}

interface Typed<T> {
  /** The CID of the version with which typing began: what is saved takes its place, and that of no other. */
  tip: string;
  base: T;
  now: T;
}

/** What is typed into a processor until it is saved by hand; what is typed while it is saved stays, and is saved next. */
export function useProcessorDraft<T>({ kind, entity, stored, bodyOf }: ProcessorDraft<T>) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed<T> | null>(null);
  // Whether a text stands in a field that cannot be saved, and how often what was typed was discarded.
  const [faulty, setFaulty] = useState(false);
  const [round, setRound] = useState(0);
  const changed = typed !== null && !says(typed.base, typed.now);
  const held = typed !== null && (changed || faulty);
  const dirty = changed || faulty;
  useUnsaved(dirty);
  const begun = (old: Typed<T> | null): Typed<T> =>
    old && !says(old.base, old.now) ? old : { tip: entity.cid, base: stored, now: stored };
  // biome-ignore lint/correctness/useExhaustiveDependencies: held is the version over which it was typed
  useLayoutEffect(() => {
    if (faulty) setTyped(begun);
  }, [faulty]);
  const body = changed ? bodyOf(typed.base, typed.now) : {};
  const { queryKey } = entityQuery(entity.id);
  const save = useMutation({
    mutationFn: (asked: { body: Body; tip: string; now: T }) =>
      changeProcessor(kind, entity.id, { ...asked.body, expect_tip: asked.tip }),
    onSuccess: (saved, sent) => {
      notifyManager.batch(() => {
        queries.setQueryData(queryKey, saved);
        notifyManager.schedule(() => setTyped((old) => old && { ...old, tip: saved.cid, base: sent.now }));
      });
      toast(t('save.saved', { ver: saved.ver }));
      void queries.invalidateQueries({ queryKey: ['processors'] });
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const once = useOnce();
  const send = (over?: string) => {
    if (!changed || faulty || !body) return;
    // A version that says the same of all that is typed here, as one that was switched on, is as good as the first.
    const tip = over ?? (says(stored, typed.base) ? entity.cid : typed.tip);
    once(() => save.mutateAsync({ body, tip, now: typed.now }));
  };
  const submit = () => send();
  useCommands([{ id: 'save', label: t('save.save'), group: t('group.entity'), keys: ['Mod+s'], run: submit }]);
  return {
    now: held ? typed.now : stored,
    dirty,
    faulty,
    onFault: setFaulty,
    round,
    body,
    save,
    submit,
    /** Saves what was typed over the version that somebody else has saved meanwhile, once they were told of it. */
    saveOver: send,
    change: (next: (now: T) => T) =>
      setTyped((old) => {
        const from = faulty && old ? old : begun(old);
        return { ...from, now: next(from.now) };
      }),
    discard: () => {
      // What is under way would be saved all the same.
      if (save.isPending) return;
      setTyped(null);
      setRound(round + 1);
      save.reset();
    },
  };
}

function says<T>(one: T, other: T): boolean {
  return same(one as never, other as never);
}
