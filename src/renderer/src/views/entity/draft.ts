import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { currentNetwork } from '../../api/client.ts';
import { newListeners } from '../../listeners.ts';
import { draftPrefix, setUnsaved } from '../../session/unsaved.ts';
import type { Entity } from './entity-queries.ts';
import { type Content, contentOf, sameContent } from './model/content.ts';
import { mergeThreeWay } from './model/three-way.ts';

/** What somebody has typed and not saved, and the version that it began with. */
export interface Draft {
  /** The CID of that version. */
  tip: string;
  base: Content;
  content: Content;
  /** Why it is changed, as far as that is typed. */
  note?: string;
}

// Drafts outlive the screen, so that nothing is lost by looking elsewhere, and in this tab the loading of the page too.
// Nothing of them lasts beyond the tab.
const drafts = new Map<string, Draft>();
const { subscribe, tell } = newListeners();
// How often those are held, by their names: something stands there that is no value yet, or a dialog is open that was begun
// with what is shown. None of it is of the content, and it is not to be lost either.
const held = new Map<string, number>();

function nameOf(id: string): string {
  return `${draftPrefix}${currentNetwork()} ${id}`;
}

function known(id: string): Draft | undefined {
  const name = nameOf(id);
  const draft = drafts.get(name) ?? stored(name);
  if (draft) drafts.set(name, draft);
  return draft;
}

function stored(name: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

// What is to be stored once no key follows at once: to write all of a large entity with each one would be felt.
const unstored = new Map<string, Draft>();
// The names of those that are too large for it.
const unkept = new Set<string>();
const pause = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

function storeLater(name: string, draft: Draft): void {
  unstored.set(name, draft);
  clearTimeout(timer);
  timer = setTimeout(store, pause);
}

function store(): void {
  for (const [name, draft] of unstored)
    try {
      sessionStorage.setItem(name, JSON.stringify(draft));
      unkept.delete(name);
    } catch {
      // Too much for the browser's storage: it is in memory alone, and an older one would be taken for it.
      remove(name);
      unkept.add(name);
    }
  unstored.clear();
  tell();
}

addEventListener('pagehide', store);

function forget(name: string): void {
  unstored.delete(name);
  unkept.delete(name);
  remove(name);
}

function remove(name: string): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // A browser that stores nothing has nothing to forget.
  }
}

function keep(id: string, draft: Draft | undefined): void {
  const name = nameOf(id);
  if (draft) drafts.set(name, draft);
  else drafts.delete(name);
  setUnsaved(name, draft !== undefined);
  if (draft && !saysNothing(draft)) storeLater(name, draft);
  else forget(name);
  tell();
}

/** Goes on with a content over a version; there is no draft where it says nothing else. */
function keepOver(to: Entity, content: Content, note = known(to.id)?.note): void {
  const draft = { tip: to.cid, base: contentOf(to), content, ...(note && { note }) };
  keep(to.id, saysNothing(draft) && !held.has(nameOf(to.id)) ? undefined : draft);
}

/** What was sent has been saved as a version: what was typed since then stands over it, and is not saved yet. */
export function settleDraft(saved: Entity, sent: Content, note: string): void {
  const draft = known(saved.id);
  if (!draft) return;
  const content = sameContent(draft.content, sent) ? contentOf(saved) : draft.content;
  keepOver(saved, content, draft.note === note ? '' : draft.note);
}

/**
 * The page itself has made a version of an entity right over `before`, as by attaching a file: what was typed over that stands over
 * the new one.
 */
export function carryDraft(before: string, now: Entity): void {
  const draft = known(now.id);
  if (draft?.tip !== before) return;
  keepOver(now, mergeThreeWay(draft.base, draft.content, contentOf(now), () => 'mine', now.type).merged);
}

/** What was typed over the very same content stands over the new version: the page has brought the entity back, say, or a remote says it. */
export function carryOverSame(now: Entity): void {
  const draft = known(now.id);
  if (draft && sameContent(draft.base, contentOf(now))) keepOver(now, draft.content);
}

/** Takes the draft of an entity away; gives what brings it back, undefined where there is none. */
export function takeDraft(id: string): (() => void) | undefined {
  const draft = known(id);
  if (!draft) return undefined;
  keep(id, undefined);
  return () => keep(id, draft);
}

/** What was typed over an entity and not saved, also where its form cannot be shown. */
export function useTyped(id: string): Draft | undefined {
  return useSyncExternalStore(
    subscribe,
    useCallback(() => known(id), [id]),
  );
}

function saysNothing({ base, content }: Draft): boolean {
  return sameContent(base, content);
}

export interface Editing {
  /** What the form shows. */
  content: Content;
  dirty: boolean;
  /** The version that is edited; another one than the entity's where somebody else was quicker. */
  tip: string;
  base: Content;
  note: string;
  /** Whether it is there still when the page is loaded again; nothing is known of what was typed a moment ago. */
  kept: boolean;
  change(change: (content: Content) => Content): void;
  /** Notes why; nothing where nothing is changed. */
  annotate(note: string): void;
  /** Goes on with another content over another version, as after a merge. */
  rebase(entity: Entity, content: Content): void;
  /**
   * Lets the version stay that is edited, until what it gives is called: something stands there that is no value yet, or in a
   * dialog that is not taken over yet.
   */
  hold(): () => void;
  discard(): void;
}

/** The draft of an entity; what it says while nothing has been typed. */
export function useDraft(entity: Entity): Editing {
  const { id } = entity;
  const draft = useTyped(id);
  const kept = useSyncExternalStore(subscribe, () => !unkept.has(nameOf(id)));
  const own = useMemo(() => contentOf(entity), [entity]);
  return {
    content: draft?.content ?? own,
    dirty: draft !== undefined,
    tip: draft?.tip ?? entity.cid,
    base: draft?.base ?? own,
    note: draft?.note ?? '',
    kept,
    change(change) {
      const old = known(id) ?? { tip: entity.cid, base: own, content: own };
      const { tip } = old;
      const next = { ...old, content: change(old.content) };
      const isOver = saysNothing(next) && tip === entity.cid && !held.has(nameOf(id));
      keep(id, isOver ? undefined : next);
    },
    annotate(note) {
      const old = known(id);
      if (old) keep(id, { ...old, note });
    },
    rebase: (to, content) => keepOver(to, content),
    hold() {
      const name = nameOf(id);
      held.set(name, (held.get(name) ?? 0) + 1);
      if (!known(id)) keep(id, { tip: entity.cid, base: own, content: own });
      return () => {
        const others = (held.get(name) ?? 1) - 1;
        if (others > 0) return void held.set(name, others);
        held.delete(name);
        const left = known(id);
        if (left && saysNothing(left)) keep(id, undefined);
      };
    },
    discard: () => keep(id, undefined),
  };
}
