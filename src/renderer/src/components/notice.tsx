import type { ReactNode } from 'react';

/** What has come in between, and the way on from there. */
export function Notice({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warning-soft px-3 py-2">
      <p className="min-w-48 flex-1">{text}</p>
      {children}
    </div>
  );
}
