import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type Answer = components['schemas']['QueryView'];
export type Result = components['schemas']['QueryResultView'];
export type Step = components['schemas']['PathStepView'];

/** So many results can be asked for. */
export const sizes = [10, 25, 50, 100];

/** A query as the address has it. */
export interface ArgoAddress {
  q?: string;
  /** Results at most; 25 if there is none. */
  k?: number;
  /** The id of a collection in which the query begins. */
  collection?: string;
}

export function argoAddress({ q, k, collection }: Record<string, unknown>): ArgoAddress {
  return {
    ...(q === undefined || q === '' ? {} : { q: String(q).slice(0, 10_000) }),
    ...(sizes.includes(Number(k)) && Number(k) !== 25 ? { k: Number(k) } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
  };
}

/** The answer to a query. It stays as it is until somebody asks again: it may have taken seconds. */
export function answerQuery({ q = '', k = 25, collection }: ArgoAddress) {
  return queryOptions({
    queryKey: ['argo', q, k, collection ?? null],
    queryFn: ({ signal }) =>
      answered<Answer>(
        api.POST('/query', {
          body: { path: q, k, expand: 'preview', explain: true, ...(collection ? { collection } : {}) },
          signal,
        }),
      ),
    enabled: q.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 'static',
    retry: false,
  });
}

/** The types and predicates that queries can name. */
export const namesQuery = queryOptions({
  queryKey: ['names'],
  queryFn: () => answered(api.GET('/node/names')),
  staleTime: 60_000,
});
