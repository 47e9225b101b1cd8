import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../messages/texts.tsx';
import type { MessageKey } from '../../messages/translate.ts';
import { namesQuery } from './argo-queries.ts';
import { QueryText } from './query-text.tsx';

interface Example {
  query: string;
  about: MessageKey;
}

/** What stands where nothing has been asked yet: examples of this node's own types, and the language in short. */
export function Beginnings({ onChoose }: { onChoose(query: string): void }) {
  const { t } = useTexts();
  const { data, isPending } = useQuery(namesQuery);
  const own = (data?.types ?? []).map(({ type }) => type).filter((type) => isUsual(type));
  const predicates = (data?.predicates ?? []).filter((name) => isUsual(name));
  // Others would be changed under the mouse.
  const examples = isPending ? [] : examplesOf(own, predicates, t('argo.exampleWords'));
  return (
    <div className="grid grid-cols-1 items-start gap-x-10 gap-y-6 p-5 lg:grid-cols-2">
      <section aria-labelledby="examples" className="min-w-0">
        <h2 id="examples" className="mb-2 text-base font-semibold">
          {t('argo.examples')}
        </h2>
        <ul className="space-y-2">
          {examples.map(({ query, about }) => (
            <li key={about}>
              <button
                type="button"
                onClick={() => onChoose(query)}
                className="block w-full rounded-md border border-line bg-surface px-3 py-2 text-left hover:border-edge"
              >
                <QueryText query={query} />
                <span className="mt-0.5 block text-quiet">{t(about)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="language" className="min-w-0">
        <h2 id="language" className="mb-2 text-base font-semibold">
          {t('argo.language')}
        </h2>
        <p className="mb-3 text-quiet">{t('argo.languageAbout')}</p>
        <dl className="grid grid-cols-[minmax(8rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          {language.map(([part, about]) => (
            <div key={part} className="contents">
              <dt>
                <QueryText query={part} />
              </dt>
              <dd className="text-quiet">{t(about)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

const language: [string, MessageKey][] = [
  ['"…"', 'argo.part.text'],
  ['type:a,b', 'argo.part.type'],
  ['type:a ~ "…"', 'argo.part.like'],
  ['@01KE…', 'argo.part.id'],
  ['-[made_by]->', 'argo.part.out'],
  ['<-[made_by]-', 'argo.part.in'],
  ['<-[*]->', 'argo.part.both'],
  ['-[*]{1,3}->', 'argo.part.depthRange'],
  ['@:collection(01KE…)', 'argo.part.collection'],
  ['@:collections', 'argo.part.collections'],
];

/** Whether people gave that name; others stand on every node. */
function isUsual(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !['collection', 'owner', 'user', 'file', 'folder'].includes(name);
}

/** With the names of this node, so that each of them can find something. */
function examplesOf([one = 'person', two = 'place']: string[], predicates: string[], words: string): Example[] {
  const [predicate] = predicates;
  return [
    { query: `"${words}"`, about: 'argo.example.text' },
    { query: `type:${one} ~ "${words}"`, about: 'argo.example.typed' },
    { query: `"${words}" type:${one} -[*]-> type:${two}`, about: 'argo.example.hop' },
    ...(predicate
      ? [{ query: `"${words}" <-[${predicate}]-> type:${two},${one}`, about: 'argo.example.predicate' as const }]
      : []),
    { query: `"${words}" -[*]{1,2}-> type:${two} <-[*]- type:${one}`, about: 'argo.example.chain' },
  ];
}
