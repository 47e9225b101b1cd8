import { useEffect } from 'react';
import { contentId, focusContentIfFree } from './arrival.ts';

// What is hidden, as the field for files behind its button, takes no focus.
const focusable = 'a[href], button, input:not([hidden]), select, textarea, [tabindex="0"]';

/** Lines of lists and tables, and what can be done there. */
const items = `li, tr, ${focusable}`;

/** What a button has that shows more of a list, above it. */
export const showsMore = { 'data-shows-more': '' } as const;

/** Something with what stood beside it, while it was there. */
interface Place {
  element: Element;
  next: Element | null;
  before: Element | null;
}

/**
 * Who works by keys goes on beside what they have taken out by its own button: at the same place of what comes after it, else
 * before it, else around it; who tries again what has failed, at what takes the place of that; and who shows more of a list, at
 * the first of it that has come. Without this the browser begins at the top of the page again, or a list further down.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let way: Place[] = [];
    let asked: More | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = ({ target }: FocusEvent) => {
      way = target instanceof Element ? wayFrom(target) : [];
      if (asked && target !== asked.button && target !== asked.around) asked = null;
    };
    const pressed = ({ target }: Event) => {
      const button = target instanceof Element ? target.closest('[data-shows-more]') : null;
      asked = button && moreBy(button);
    };
    const look = () => {
      const [place] = way;
      if (!place || document.activeElement !== document.body || place.element.isConnected) return;
      const found = nearest(way);
      if (found instanceof HTMLElement) found.focus({ preventScroll: true });
      else if (place.element.closest('[role="alert"]')) focusAround(way);
      else focusContentIfFree();
    };
    // Dialogs give the focus back by themselves, and screens that come take it, a moment later.
    const later = () => {
      if (asked && focusCome(asked)) asked = null;
      if (document.activeElement !== document.body) return;
      clearTimeout(timer);
      timer = setTimeout(look, 50);
    };
    const observer = new MutationObserver(later);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    document.addEventListener('click', pressed, true);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('click', pressed, true);
    };
  }, []);
}

/** What was there when more of a list was asked for. */
interface More {
  button: Element;
  /** The dialog or the screen that the list is in. */
  around: Element;
  listed: ReadonlySet<Element>;
}

function moreBy(button: Element): More | null {
  const around = button.closest(`[role="dialog"], [role="alertdialog"], #${contentId}`);
  return around && { button, around, listed: new Set(around.querySelectorAll(items)) };
}

/** Goes to the first that has come of it, unless somebody works elsewhere by now; gives whether anything has. */
function focusCome({ button, around, listed }: More): boolean {
  const isAbove = (one: Element) =>
    !button.isConnected || (one.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const come = [...around.querySelectorAll(items)].find((one) => !listed.has(one) && isAbove(one));
  if (!(come instanceof HTMLElement)) return false;
  const { activeElement: at } = document;
  if (at === button || at === around || at === document.body) {
    focusAnyway(come);
    come.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  return true;
}

/** Lets Tab go on with what stands now where this way was. */
function focusAround(way: readonly Place[]): void {
  const around = way.find(({ element }) => element.isConnected)?.element;
  if (!(around instanceof HTMLElement)) {
    focusContentIfFree();
    return;
  }
  focusAnyway(around);
}

/** Also what usually cannot have the focus. */
function focusAnyway(element: HTMLElement): void {
  if (!element.matches(focusable) && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  element.focus({ preventScroll: true });
}

/** From what has the focus up to the screen. */
function wayFrom(target: Element): Place[] {
  const way: Place[] = [];
  for (let at: Element | null = target; at && at.id !== contentId && at !== document.body; at = at.parentElement)
    way.push({ element: at, next: at.nextElementSibling, before: at.previousElementSibling });
  return way;
}

/** Where somebody goes on whose way this was: beside an item of a list, or around it where it was the last one. */
function nearest(way: readonly Place[]): Element | undefined {
  const first = way.findIndex(({ element }) => element.isConnected);
  const end = first === -1 ? way.length : first;
  const [from, root] = [way[0], way[end - 1]];
  if (!from || !root) return undefined;
  const fromEnd = Math.max(0, reached(root.element, true).indexOf(from.element));
  const beside = [root.next, root.before].flatMap((one) => {
    const all = one?.isConnected && isLike(one, root.element) ? reached(one) : [];
    return all[Math.min(fromEnd, all.length - 1)] ?? [];
  });
  if (beside[0]) return beside[0];
  const isItem = way.slice(0, end).some(({ element }) => element.matches('li, tr'));
  return isItem ? way.slice(end).flatMap(({ element }) => reached(element).at(-1) ?? [])[0] : undefined;
}

function isLike(one: Element, other: Element): boolean {
  return one.tagName === other.tagName && one.className === other.className;
}

/** What of an element can have the focus, itself too, the last first; `all`: also what cannot have it now. */
function reached(element: Element, all = false): Element[] {
  const found = [...(element.matches(focusable) ? [element] : []), ...element.querySelectorAll(focusable)];
  return found.reverse().filter((one) => all || !one.matches(':disabled'));
}
