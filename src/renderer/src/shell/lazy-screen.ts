import { lazyRouteComponent } from '@tanstack/react-router';
import { answered, api } from '../api/client.ts';

/** A screen by its name in a part of the page that comes when it is gone to. */
export function lazyScreen<Part extends Record<string, unknown>, Name extends keyof Part>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazyRouteComponent<Part, Name>(() => loaded(load), name);
}

/**
 * @throws Failure where the node is away: the router takes what does not come for a part of an earlier build, and loads the page
 * anew, of which the browser would then have nothing either.
 */
async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    await answered(api.GET('/health'));
    // It may have been away only then.
    return load();
  }
}
