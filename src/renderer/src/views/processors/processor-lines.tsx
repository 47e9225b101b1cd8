import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { ProcessorLine } from './processor-queries.ts';
import { StatusMark, VerifiedMark } from './processor-state.tsx';

/** Processors, a line each; `active` is the one that the keys are at. */
export function ProcessorLines({ lines, active }: { lines: readonly ProcessorLine[]; active: number }) {
  const { t } = useTexts();
  const row = useIntoView<HTMLTableRowElement>(active, lines[active]?.id);
  const head = 'px-3 py-2 font-medium';
  return (
    <table className="w-full table-fixed">
      <thead className="text-left text-xs text-quiet">
        <tr className="border-b border-line">
          <th className="px-5 py-2 font-medium">{t('column.label')}</th>
          <th className={classes(head, 'w-24')}>{t('processor.kind')}</th>
          <th className={classes(head, 'w-52')}>{t('processor.state')}</th>
          <th className={classes(head, 'hidden w-72 lg:table-cell')}>{t('processor.works')}</th>
          <th className={classes(head, 'hidden w-44 xl:table-cell')}>{t('processor.collection')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, i) => (
          <tr
            key={line.id}
            ref={i === active ? row : null}
            className={classes('border-b border-line align-top hover:bg-surface', i === active && 'bg-accent-soft')}
          >
            <td className="px-5 py-2">
              <Link
                to="/processors/$id"
                params={{ id: line.id }}
                className="block truncate font-medium hover:underline"
                dir="auto"
              >
                {line.label || t('entity.noLabel')}
              </Link>
              {line.description && (
                <p className="truncate text-xs text-quiet" dir="auto">
                  {line.description}
                </p>
              )}
            </td>
            <td className="px-3 py-2">{t(`processor.${line.type}`)}</td>
            <td className="space-x-2 px-3 py-2">
              <StatusMark status={line.status} />
              <VerifiedMark {...line} />
            </td>
            <td className="hidden px-3 py-2 lg:table-cell">
              <Works line={line} />
            </td>
            <td className="hidden truncate px-3 py-2 text-quiet xl:table-cell">
              <bdi>{line.collection?.label}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What goes in and out of it, or how long the workflow is; and where it runs. */
function Works({ line: { type, accepts, produces, steps, version, endpoint } }: { line: ProcessorLine }) {
  const { t } = useTexts();
  return (
    <>
      {type === 'rhiza' && (
        <p className="truncate">
          {t('processor.steps', { count: steps ?? 0 })}
          {version && <bdi className="text-quiet"> · {version.slice(0, 50)}</bdi>}
        </p>
      )}
      {accepts && produces && (
        <p className="flex items-center gap-1">
          <Port {...accepts} />
          <ArrowRight size={13} className="shrink-0 text-quiet" aria-label={t('processor.produces')} role="img" />
          <Port {...produces} />
        </p>
      )}
      {endpoint && (
        <p className="truncate font-mono text-xs text-quiet" dir="ltr">
          {endpoint}
        </p>
      )}
    </>
  );
}

function Port({ types, cardinality }: { types: readonly string[]; cardinality: string }) {
  const { t } = useTexts();
  const names = types.map((type) => (type === '*' ? t('processor.anything') : type)).join(', ');
  return (
    <span className="min-w-0 truncate">
      <bdi>{names}</bdi>
      {cardinality === 'many' && <span className="text-quiet"> ×n</span>}
    </span>
  );
}
