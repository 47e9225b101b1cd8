import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../../api/failure.ts';
import { type Sample, sampleOf, type TextEncoding } from './sample.ts';

export interface Samples {
  /** Of the first file, which says what columns there are. */
  first: UseQueryResult<Sample>;
  /** Of the file that is looked at. */
  shown: UseQueryResult<Sample>;
  index: number;
  show(index: number): void;
  /** In what the file that is looked at is read from now on. */
  choose(encoding: TextEncoding): void;
  /** In what each file is read; undefined while that is found out. */
  encodings: readonly TextEncoding[] | undefined;
  /** Whether that is being found out. */
  isReading: boolean;
}

/**
 * The beginnings of files that are imported together: each is read in what it is written in itself, and once. Nothing on the node
 * changes them, and one that has changed itself by then can no longer be read. `choice` tells these files from all others.
 */
export function useSamples(files: readonly File[], choice: number): Samples {
  const [index, show] = useState(0);
  const [chosen, setChosen] = useState<ReadonlyMap<number, TextEncoding>>(new Map());
  const [others, setOthers] = useState<TextEncoding>();
  const keyOf = (at: number) => [at, chosen.get(at), others];
  const read = (at: number) => sampleOf(files[at] as File, chosen.get(at), others).catch(tellUnreadable);
  const sample = (at: number) => ({
    queryKey: ['sample', choice, ...keyOf(at)],
    queryFn: () => read(at),
    placeholderData: keepPreviousData,
    staleTime: 'static' as const,
    retry: false,
  });
  const encodings = useQuery({
    queryKey: ['encodings', choice, ...files.map((_, at) => keyOf(at))],
    queryFn: async () => {
      const found: TextEncoding[] = [];
      for (const at of files.keys()) found.push((await read(at)).encoding);
      return found;
    },
    staleTime: 'static',
    retry: false,
  });
  return {
    first: useQuery(sample(0)),
    shown: useQuery(sample(index)),
    index,
    show,
    choose: (encoding) => {
      setChosen(new Map([...chosen, [index, encoding]]));
      // Each file says of Unicode itself whether it is that.
      if (!encoding.startsWith('utf-')) setOthers(encoding);
    },
    encodings: encodings.data,
    isReading: encodings.isFetching,
  };
}

/** What the browser says of a file is no mistake of the page. @throws Failure of kind `unreadable`, or the error itself */
function tellUnreadable(error: unknown): never {
  throw error instanceof DOMException ? new Failure('unreadable', error.message) : error;
}
