import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../api/schema.d.ts';
import { soughtWords } from '../../components/marked-words.ts';
import { ResultList, ResultName, ResultText } from '../../components/result-list.tsx';
import { previewQuery } from '../entity/entity-queries.ts';

interface HitsProps {
  hits: readonly components['schemas']['PlacedHitView'][];
  /** The one that the keys are at. */
  active: number;
  /** Whether they are of what was sought before. */
  late: boolean;
  /** What was sought: its words are marked. */
  query: string;
}

/** What was found, the best first, each with the collection that it lies in. */
export function Hits({ hits, active, late, query }: HitsProps) {
  const sought = useMemo(() => soughtWords(query), [query]);
  return (
    <ResultList
      items={hits}
      keyOf={({ id }) => id}
      active={active}
      late={late}
      line="py-2"
      show={({ id, label, type, collection_id, entity_preview }) => {
        return (
          <>
            <div className="flex items-baseline gap-3">
              <ResultName id={id} label={label} type={type} sought={sought} />
              {collection_id && <Home id={collection_id} />}
            </div>
            <ResultText
              text={entity_preview?.description_preview ?? entity_preview?.text_preview}
              lines="line-clamp-2"
              sought={sought}
            />
          </>
        );
      }}
    />
  );
}

/** The collection that something lies in, by its name. */
function Home({ id }: { id: string }) {
  const { data } = useQuery(previewQuery(id));
  if (!data?.label) return null;
  return <bdi className="ml-auto max-w-48 shrink-0 truncate text-xs text-quiet">{data.label.slice(0, 300)}</bdi>;
}
