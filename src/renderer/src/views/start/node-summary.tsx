import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentNetwork } from '../../api/client.ts';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { Stand } from '../sync/stand.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { statusQuery } from './status-query.ts';

/** How much the node holds, and how things stand with its remotes. */
export function NodeSummary() {
  const { t, number, bytes } = useTexts();
  const status = useQuery(statusQuery);
  const network = status.data?.networks.find((one) => one.network === currentNetwork());
  return (
    <aside className="space-y-5 p-5 lg:border-l lg:border-line">
      {status.error && <Problem error={status.error} retry={() => void status.refetch()} />}
      {network && (
        <section>
          <h2 className="mb-2 text-base font-semibold">{t('settings.node')}</h2>
          <p>{t('start.entities', { count: network.entities, number: number(network.entities) })}</p>
          <p className="text-quiet">
            {t('node.sizes', { database: bytes(network.database_bytes), files: bytes(network.file_bytes) })}
          </p>
          {[network.database_problem, status.data?.database_problem].map(
            (problem) =>
              problem && (
                <p key={problem} role="alert" lang="en" className="mt-1 break-words text-danger">
                  {problem}
                </p>
              ),
          )}
        </section>
      )}
      {network && (
        <section>
          <h2 className="mb-2 text-base font-semibold">{t('start.remotes')}</h2>
          {network.remotes.length === 0 && <p className="text-quiet">{t('start.noRemotes')}</p>}
          <ul className="space-y-3">
            {network.remotes.map((remote) => (
              <li key={remote.name}>
                <h3 className="mb-1 font-medium">
                  <Link to="/sync/remotes/$name" params={{ name: remote.name }} className="hover:underline">
                    {remote.name}
                  </Link>
                </h3>
                <Stand remote={remote} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <RecentChanges />
    </aside>
  );
}
