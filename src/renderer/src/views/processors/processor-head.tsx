import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play, Power, PowerOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, buttonClasses } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Entity, entityQuery } from '../entity/entity-queries.ts';
import { changeProcessor } from './processor-queries.ts';
import { StatusMark, VerifiedMark } from './processor-state.tsx';
import type { Kind, Status } from './processors-address.ts';

/** What a processor's state can be told from. */
export function standingOf({ properties }: Entity, type: Kind) {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const { status, endpoint, endpoint_verified_at } = properties;
  return {
    ...{ type, status: text(status), endpoint: text(endpoint) },
    endpoint_verified_at: text(endpoint_verified_at),
  };
}

/** Which processor it is and whether it can be started; starting it, and switching it on and off. */
export function ProcessorHead({ entity, kind, children }: { entity: Entity; kind: Kind; children?: ReactNode }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const { id, cid, properties } = entity;
  const standing = standingOf(entity, kind);
  const active = standing.status === 'active';
  const change = useMutation({
    mutationFn: (status: Status) => changeProcessor(kind, id, { expect_tip: cid, status }),
    onSuccess: (_, status) => {
      toast(t('processor.isNow', { state: t(`processor.status.${status}`) }));
      void queries.invalidateQueries({ queryKey: ['processors'] });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: entityQuery(id).queryKey }),
  });
  const label = typeof properties.label === 'string' ? properties.label.trim().slice(0, 500) : '';
  return (
    <>
      <PageHead
        above={
          <>
            <Link to="/processors" className="hover:underline">
              {t('processors.title')}
            </Link>
            <span aria-hidden>/</span>
            <Link to="/processors" search={{ type: kind }} className="hover:underline">
              {t(`processors.${kind}`)}
            </Link>
          </>
        }
        title={label || t('entity.noLabel')}
        about={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StatusMark status={standing.status} />
            <VerifiedMark {...standing} />
            <Link to="/entities/$id/history" params={{ id }} className="hover:underline">
              {t('entity.version', { ver: entity.ver })}
            </Link>
            <Copied text={id} />
          </span>
        }
        actions={
          <>
            {children}
            {active ? (
              <Button onClick={() => change.mutate('disabled')} disabled={change.isPending}>
                <PowerOff size={15} aria-hidden />
                {t('processor.disable')}
              </Button>
            ) : (
              <Button look="main" onClick={() => change.mutate('active')} disabled={change.isPending}>
                <Power size={15} aria-hidden />
                {t('processor.activate')}
              </Button>
            )}
            {active && (
              <Link to="/process" search={{ processor: id }} className={buttonClasses('main')}>
                <Play size={15} aria-hidden />
                {t('process.open')}
              </Link>
            )}
          </>
        }
      />
      {change.error && (
        <div className="px-5 pt-4">
          <Problem error={change.error} />
        </div>
      )}
    </>
  );
}
