import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClasses } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { Rhiza } from '../flow/rhiza.tsx';
import { kinds } from './processors-address.ts';
import { Service } from './service.tsx';

const route = getRouteApi('/processors/$id');

/** One agent, klados or rhiza: what it is, whether it can be started, who acts as it, and what it did. */
export function Processor() {
  const { t } = useTexts();
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(entityQuery(id));
  const kind = kinds.find((one) => one === data?.type);
  if (data && kind === 'rhiza') return <Rhiza key={id} entity={data} />;
  if (data && (kind === 'agent' || kind === 'klados')) return <Service key={id} entity={data} kind={kind} />;
  if (isPending) return <Waiting />;
  return (
    <div className="mx-auto w-full max-w-2xl space-y-3 p-6">
      {error ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : (
        <p>
          {t('processor.isNone')}{' '}
          <Link to="/entities/$id" params={{ id }} className="text-accent underline">
            {t('processor.asEntity')}
          </Link>
        </p>
      )}
      <Link to="/processors" className={buttonClasses()}>
        {t('processors.title')}
      </Link>
    </div>
  );
}
