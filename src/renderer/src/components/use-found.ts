import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useSettled } from './use-settled.ts';

/**
 * What is found for a text, without blanks at its ends, once it stands still. `data` is never of another text than the one that
 * stands there: Enter would take what was found for the text before. It `waits` until it is known what there is.
 */
export function useFound<T, K extends QueryKey>(
  text: string,
  queryOf: (part: string) => UseQueryOptions<T, Error, T, K>,
) {
  const part = text.trim();
  const settled = useSettled(part);
  const { data, error, isFetching, refetch } = useQuery(queryOf(settled));
  const isOfText = settled === part;
  return {
    data: isOfText ? data : undefined,
    error: isOfText ? error : null,
    waits: !isOfText || (isFetching && data === undefined),
    refetch,
  };
}
