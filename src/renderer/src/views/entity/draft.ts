import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { currentNetwork } from '../../api/client.ts';
import type { Entity } from './entity-queries.ts';
import { type Content, contentOf, sameContent } from './model/content.ts';

/** What somebody has typed and not saved, and the version that it began with. */
export interface Draft {
  /** The CID of that version. */
  tip: string;
  base: Content;
  content: Content;
}

// Drafts outlive the screen, so that nothing is lost by looking elsewhere, and in this tab the loading of the page too.
// Nothing of them lasts beyond the tab.
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

function nameOf(id: string): string {
  return `draft ${currentNetwork()} ${id}`;
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

function keep(id: string, draft: Draft | undefined): void {
  const name = nameOf(id);
  if (draft) drafts.set(name, draft);
  else drafts.delete(name);
  try {
    if (draft) sessionStorage.setItem(name, JSON.stringify(draft));
    else sessionStorage.removeItem(name);
  } catch {
    // Too much for the browser's storage: it is still in memory.
  }
  for (const tell of listeners) tell();
}

/** Goes on with a content over a version; there is no draft where it says nothing else. */
function keepOver(to: Entity, content: Content): void {
  const base = contentOf(to);
  keep(to.id, sameContent(base, content) ? undefined : { tip: to.cid, base, content });
}

/** What was sent has been saved as a version: what was typed since then stands over it, and is not saved yet. */
export function settleDraft(saved: Entity, sent: Content): void {
  const draft = known(saved.id);
  if (draft) keepOver(saved, sameContent(draft.content, sent) ? contentOf(saved) : draft.content);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Editing {
  /** What the form shows. */
  content: Content;
  dirty: boolean;
  /** The version that is edited; another one than the entity's where somebody else was quicker. */
  tip: string;
  base: Content;
  change(change: (content: Content) => Content): void;
  /** Goes on with another content over another version, as after a merge. */
  rebase(entity: Entity, content: Content): void;
  discard(): void;
}

/** The draft of an entity; what it says while nothing has been typed. */
export function useDraft(entity: Entity): Editing {
  const { id } = entity;
  const draft = useSyncExternalStore(
    subscribe,
    useCallback(() => known(id), [id]),
  );
  const own = contentOf(entity);
  const dirty = draft !== undefined;
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
  return {
    content: draft?.content ?? own,
    dirty,
    tip: draft?.tip ?? entity.cid,
    base: draft?.base ?? own,
    change(change) {
      const { tip, base, content } = known(id) ?? { tip: entity.cid, base: own, content: own };
      const next = change(content);
      keep(id, sameContent(base, next) && tip === entity.cid ? undefined : { tip, base, content: next });
    },
    rebase: keepOver,
    discard: () => keep(id, undefined),
  };
}
