import { type ReactNode, useId } from 'react';

/** A part of the settings with its heading. */
export function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section className="space-y-4">
      <div>
        <h2 className="text-base font-semibold">{title}</h2>
        <p className="text-quiet">{about}</p>
      </div>
      {children}
    </section>
  );
}

interface CardProps {
  title: string;
  about: string;
  actions?: ReactNode;
  children?: ReactNode;
}

/** One thing that can be done for the node, how it stands and what came of it. */
export function Card({ title, about, actions, children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="space-y-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-56 flex-1">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          <p className="text-quiet">{about}</p>
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
