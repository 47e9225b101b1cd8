import { answered, api } from '../api/client.ts';

/**
 * A part of the page that comes when it is gone to. @throws Failure where the node is away: the router takes what does not come for
 * a part of an earlier build, and loads the page anew, of which the browser would then have nothing either.
 */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await answered(api.GET('/health'));
    // It may have been away only then.
    return load();
  }
}
