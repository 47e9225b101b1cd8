import type { LogFilter } from './sync-queries.ts';

/** What the log may be narrowed to. `open`: what went wrong or had to be looked at. */
export const kinds = [
  ...(['open', 'run', 'failed', 'stopped', 'ended', 'conflict', 'decided', 'refused'] as const),
  ...(['added', 'renamed', 'moved', 'rekeyed', 'removed', 'watched', 'unwatched'] as const),
];

export function isKind(text: unknown): text is (typeof kinds)[number] {
  return (kinds as readonly unknown[]).includes(text);
}

/** The address's part of the log screen. */
export function logAddress({ remote, kind }: Record<string, unknown>): LogFilter {
  return {
    ...(typeof remote === 'string' && remote !== '' && remote.length <= 50 ? { remote } : {}),
    ...(isKind(kind) ? { kind } : {}),
  };
}
