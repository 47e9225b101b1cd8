import { answered, api } from './client.ts';

const pause = 500;
const patience = 120_000;

interface Watch {
  /** Why it does not do so yet. */
  onFailure(error: unknown): void;
  /** Whether it is no longer waited for. */
  stopped(): boolean;
}

/**
 * Waits until the node answers and knows who asks, which one that was started again has forgotten for a moment at least.
 * False where that takes more than two minutes, or once it is no longer waited for.
 */
export async function nodeAnswers({ onFailure, stopped }: Watch): Promise<boolean> {
  for (const end = performance.now() + patience; performance.now() < end; ) {
    await new Promise((done) => setTimeout(done, pause));
    if (stopped()) return false;
    try {
      await answered(api.GET('/auth/whoami', { signal: AbortSignal.timeout(5000) }));
      return true;
    } catch (error) {
      onFailure(error);
    }
  }
  return false;
}
