import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';
import { Waiting } from './waiting.tsx';

interface QueryStateProps {
  query: { isPending: boolean; error: unknown; refetch(): unknown };
  /** Further ways out of what went wrong. */
  children?: ReactNode;
}

/** What a screen shows of a query beside its answer: that it is awaited, or what went wrong, and trying again. */
export function QueryState({ query, children }: QueryStateProps) {
  return (
    <>
      {query.isPending && <Waiting />}
      {Boolean(query.error) && (
        <div className="p-5">
          <Problem error={query.error} retry={() => void query.refetch()}>
            {children}
          </Problem>
        </div>
      )}
    </>
  );
}
