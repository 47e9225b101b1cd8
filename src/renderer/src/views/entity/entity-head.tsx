import { Link } from '@tanstack/react-router';
import { EllipsisVertical, Play, Table2 } from 'lucide-react';
import { buttonClasses, IconButton } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { copyText } from '../../components/copy-text.ts';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { screenLink } from '../../components/screen-link.ts';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { ProcessAddress } from '../process/process-address.ts';
import type { Entity } from './entity-queries.ts';
import { contentOf } from './model/content.ts';
import type { Json } from './model/json.ts';
import { PeerName } from './peer-name.tsx';

/** All of them are among the relationships. */
const mostCollections = 6;

/** Which entity it is, of which version, in which collections; the way to its history. */
export function EntityHead({
  entity,
  title,
  onDelete,
}: {
  entity: Entity;
  title: Json | undefined;
  onDelete?(): void;
}) {
  const { t } = useTexts();
  const { id, type, ver, ts } = entity;
  const copy = async (text: string) => (await copyText(text)) || toast(t('entity.notCopied', { text }));
  const collections = contentOf(entity).relationships.filter(({ predicate }) => predicate === 'collection');
  return (
    <PageHead
      above={
        <>
          <Link to="/collections" className="hover:underline">
            {t('collections.title')}
          </Link>
          {collections.slice(0, mostCollections).map(({ peer, peer_label }) => (
            <span key={peer} className="flex min-w-0 items-center gap-1">
              <span aria-hidden>/</span>
              <Link to="/collections/$id" params={{ id: peer }} className="min-w-0 truncate hover:underline">
                <PeerName id={peer} label={peer_label} />
              </Link>
            </span>
          ))}
          {collections.length > mostCollections && (
            <span>{t('entity.moreCollections', { count: collections.length - mostCollections })}</span>
          )}
        </>
      }
      title={typeof title === 'string' && title.trim() !== '' ? title.slice(0, 500) : t('entity.noLabel')}
      about={
        <span className="flex flex-wrap items-center gap-x-3">
          <bdi className="font-medium">{type}</bdi>
          <span>
            {t('entity.version', { ver })} · <Moment at={ts} />
          </span>
          <Copied text={id} />
        </span>
      }
      actions={
        <>
          <nav aria-label={t('entity.views')} className="flex gap-1">
            <Link
              to="/entities/$id"
              params={{ id }}
              activeOptions={{ exact: true, includeSearch: false }}
              className={screenLink}
            >
              {t('entity.properties')}
            </Link>
            <Link to="/entities/$id/history" params={{ id }} className={screenLink}>
              {t('history.title')}
            </Link>
            <Link to="/graph" search={{ of: id }} className={screenLink}>
              {t('graph.title')}
            </Link>
          </nav>
          {type === 'collection' && (
            <Link to="/collections/$id" params={{ id }} className={buttonClasses()}>
              <Table2 size={15} aria-hidden />
              {t('entity.openTable')}
            </Link>
          )}
          <Link to="/process" search={processSearch(entity)} className={buttonClasses()}>
            <Play size={15} aria-hidden />
            {t('process.this')}
          </Link>
          {onDelete && (
            <Menu
              trigger={
                <IconButton label={t('entity.more')}>
                  <EllipsisVertical size={16} aria-hidden />
                </IconButton>
              }
            >
              <MenuItem onSelect={() => void copy(id)}>{t('entity.copyId')}</MenuItem>
              <MenuItem onSelect={() => void copy(entity.cid)}>{t('entity.copyCid')}</MenuItem>
              <MenuItem onSelect={onDelete}>{t('entity.delete')}</MenuItem>
            </Menu>
          )}
        </>
      }
    />
  );
}

/** What is processed from here: the entity, or all of a collection; a processor is what is run. */
function processSearch({ id, type }: Entity): ProcessAddress {
  if (type === 'agent' || type === 'klados' || type === 'rhiza') return { processor: id };
  return type === 'collection' ? { collection: id } : { targets: [id] };
}
