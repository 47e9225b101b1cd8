import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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
}

/** The beginnings of files that are imported together: each is read in what it is written in itself. */
export function useSamples(files: readonly File[]): Samples {
  const [index, show] = useState(0);
  const [chosen, setChosen] = useState<ReadonlyMap<number, TextEncoding>>(new Map());
  const [others, setOthers] = useState<TextEncoding>();
  const keyOf = (at: number) => {
    const { name, size, lastModified } = files[at] as File;
    return [name, size, lastModified, chosen.get(at), others];
  };
  const read = (at: number) => sampleOf(files[at] as File, chosen.get(at), others);
  const sample = (at: number) => ({
    queryKey: ['sample', at, ...keyOf(at)],
    queryFn: () => read(at),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const encodings = useQuery({
    queryKey: ['encodings', ...files.map((_, at) => keyOf(at))],
    queryFn: async () => {
      const found: TextEncoding[] = [];
      for (const at of files.keys()) found.push((await read(at)).encoding);
      return found;
    },
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
  };
}
