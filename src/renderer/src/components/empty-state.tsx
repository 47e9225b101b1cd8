import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** What stands where there is nothing yet: why, and what to do next. */
export function EmptyState({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-14 text-center">
      <Icon size={28} strokeWidth={1.5} className="mb-3 text-edge" aria-hidden />
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <div className="mt-2 space-y-3 text-quiet">{children}</div>}
    </div>
  );
}
