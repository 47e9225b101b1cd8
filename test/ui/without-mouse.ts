import type { Locator, Page } from 'playwright-core';

/** Somebody without a mouse: what is pressed is all that is done. */
export interface Hands {
  page: Page;
  press(...presses: string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Goes on with Tab until it is there. @throws where that takes more presses than somebody bears */
  reach(place: Locator): Promise<void>;
  /** Reaches it and presses Enter. */
  act(place: Locator): Promise<void>;
  /** The screen with this heading has come. */
  arrive(heading: string | RegExp): Promise<void>;
}

const patienceForTabs = 10;

export function withoutMouse(page: Page): Hands {
  const { keyboard } = page;
  // Heard from the beginning, so that none opens before a step takes it.
  page.on('filechooser', () => undefined);
  const isAt = (place: Locator) =>
    place.evaluate((element: unknown) => {
      const { document } = globalThis as unknown as { document: { activeElement: unknown } };
      return element === document.activeElement;
    });
  const hands: Hands = {
    page,
    press: async (...presses) => {
      for (const one of presses) await keyboard.press(one);
    },
    type: (text) => keyboard.type(text),
    reach: async (place) => {
      await place.waitFor();
      for (let tabs = 0; tabs <= patienceForTabs; tabs++) {
        if (await isAt(place)) {
          return;
        }
        await keyboard.press('Tab');
      }
      throw new Error(`More than ${patienceForTabs} presses of Tab do not lead to ${place}.`);
    },
    act: async (place) => {
      await hands.reach(place);
      await keyboard.press('Enter');
    },
    arrive: (name) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor(),
  };
  return hands;
}
