import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Download, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { useKeptState } from '../../components/use-kept.ts';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionChoice } from '../collections/collection-choice.tsx';
import { collectionsFound } from '../collections/collections-query.ts';
import { peersQuery } from '../entity/relationships/peer-query.ts';
import { AnswerNotes } from './answer-notes.tsx';
import { type ArgoAddress, answerQuery, namesQuery, sizes } from './argo-queries.ts';
import { Beginnings } from './beginnings.tsx';
import type { Names } from './editor/completion.ts';
import { QueryEditor, type QueryEditorHandle } from './editor/query-editor.tsx';
import { faultOf } from './fault.ts';
import { NamedIds } from './named-ids.tsx';
import { Plan } from './plan.tsx';
import { forgetTyped, keepTyped, remember, typedAt } from './recent.ts';
import { RecentMenu } from './recent-menu.tsx';
import { Results } from './results.tsx';
import { saveCsv, saveJson } from './save-answer.ts';

const route = getRouteApi('/argo');

/** Questions in the Argo language: where to begin, and which relationships lead on. What was asked is in the address. */
export function Argo() {
  const { t, number, counted } = useTexts();
  const address = route.useSearch();
  const go = useNavigate({ from: '/argo' });
  const queries = useQueryClient();
  const editor = useRef<QueryEditorHandle>(null);
  const [typed, setTyped] = useState(() => typedAt(address.q));
  const [active, setActive] = useKeptState('active', -1);
  // Asked for before somebody writes.
  useQuery(namesQuery);
  const answer = useQuery(answerQuery(address));
  if (typed.asked !== address.q) setTyped(typedAt(address.q));
  useEffect(() => keepTyped(typed), [typed]);
  const { text } = typed;
  const setText = (next: string) => setTyped({ asked: address.q, text: next });

  const names: Names = {
    known: () => queries.ensureQueryData(namesQuery).catch(() => ({ types: [], predicates: [] })),
    collections: async (part) =>
      (await queries.fetchQuery(collectionsFound(part)).catch(() => undefined))?.collections ?? [],
    find: (part) => queries.fetchQuery(peersQuery(part, undefined)).catch(() => []),
  };
  const change = (next: Partial<ArgoAddress>, replace = false) => {
    setActive(-1);
    void go({ search: (old) => ({ ...old, ...next }), replace });
  };
  const run = (query = text) => {
    setText(query);
    forgetTyped();
    if (query.trim() === '') return change({ q: undefined });
    remember(query);
    if (query === address.q) void answer.refetch();
    else change({ q: query });
  };

  const asked = address.q !== undefined;
  const found = asked ? answer.data : undefined;
  const results = found?.results ?? [];
  const at = Math.min(active, results.length - 1);
  const open = (id: string | undefined) => id && void go({ to: '/entities/$id', params: { id } });
  const fault = faultOf(answer.error, address.q ?? '');
  // It is gone as soon as something is typed.
  const place = text === address.q ? fault : null;
  const group = t('group.list');
  useCommands([
    { id: 'run', label: t('argo.run'), group: t('argo.title'), keys: ['Mod+Enter'], run: () => run() },
    {
      id: 'find',
      label: t('argo.editor'),
      group: t('argo.title'),
      keys: ['/'],
      run: () => editor.current?.focus(),
    },
    ...stepCommands(t, at, results.length, setActive),
    {
      id: 'open',
      label: t('list.open'),
      group,
      keys: ['Enter', 'e'],
      palette: false,
      run: () => open(results[at]?.entity.id),
    },
  ]);

  return (
    <>
      <PageHead
        title={t('argo.title')}
        about={
          found &&
          !answer.isFetching && (
            <span role="status">{t('search.count', { count: results.length, number: number(results.length) })}</span>
          )
        }
        actions={
          <>
            <RecentMenu onChoose={run} />
            {found && results.length > 0 && (
              <Menu
                trigger={
                  // What is shown while another answer is on its way is that to the query before.
                  <Button disabled={answer.isPlaceholderData}>
                    <Download size={15} aria-hidden />
                    {t('argo.save')}
                  </Button>
                }
              >
                <MenuItem onSelect={() => saveJson(found)}>{t('argo.saveJson')}</MenuItem>
                <MenuItem onSelect={() => saveCsv(found)}>{t('argo.saveCsv')}</MenuItem>
              </Menu>
            )}
          </>
        }
      />
      <div className="space-y-2 border-b border-line px-5 py-3">
        <QueryEditor
          ref={editor}
          value={text}
          onChange={setText}
          onRun={() => run()}
          fault={place && { from: place.from, to: place.to, message: t(place.advice) }}
          names={names}
        />
        <NamedIds query={text} />
        {place && (
          <p role="alert" className="text-danger">
            {t('argo.faultAt', { number: place.from + 1 })} {t(place.advice)}{' '}
            <span className="text-quiet">({place.words})</span>
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button look="main" onClick={() => run()} disabled={text.trim() === ''}>
            <Play size={14} aria-hidden />
            {t('argo.run')}
          </Button>
          <KeyCaps keys="Mod+Enter" />
          <span className="flex-1" />
          <div className="w-56">
            <CollectionChoice
              label={t('search.collection')}
              value={address.collection ?? ''}
              none={t('search.everywhere')}
              onChange={(id) => change({ collection: id || undefined }, true)}
            />
          </div>
          <Select
            aria-label={t('argo.size')}
            className="w-40"
            value={address.k ?? 25}
            onChange={({ target }) =>
              change({ k: Number(target.value) === 25 ? undefined : Number(target.value) }, true)
            }
          >
            {sizes.map((size) => (
              <option key={size} value={size}>
                {counted('argo.sizeOf', size)}
              </option>
            ))}
          </Select>
        </div>
      </div>
      {answer.error && asked && !fault && (
        <div className="p-5">
          <Problem error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      {!asked && <Beginnings onChoose={run} />}
      {asked && answer.isFetching && !found && <Waiting />}
      {found && !answer.error && (
        <>
          <AnswerNotes answer={found} />
          {results.length > 0 && <Results results={results} active={at} late={answer.isFetching} />}
          <Plan metadata={found.metadata} />
        </>
      )}
    </>
  );
}
