import { useQuery } from '@tanstack/react-query';
import { currentNetwork } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useCommands } from '../../commands/commands.ts';
import { Copied } from '../../components/copied.tsx';
import { Fact } from '../../components/fact.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { statusQuery } from '../start/status-query.ts';
import { LogHead } from './log-head.tsx';
import { Card } from './section.tsx';
import { SettingsHead } from './settings-head.tsx';
import { Sizes } from './sizes.tsx';
import { BackupCard } from './upkeep/backup-card.tsx';
import { IndexCard } from './upkeep/index-card.tsx';
import { start } from './upkeep/runs.ts';
import { VerifyCard } from './upkeep/verify-card.tsx';

/** What the node is and holds, and what keeps it sound: for its operator. */
export function NodeSettings() {
  const { t } = useTexts();
  const status = useQuery(statusQuery);
  const group = t('settings.node');
  useCommands([
    { id: 'verify', label: t('verify.start'), group, run: () => void start('verify') },
    { id: 'reindex', label: t('index.start'), group, run: () => void start('reindex') },
  ]);
  const network = status.data?.networks.find((one) => one.network === currentNetwork());
  return (
    <>
      <SettingsHead />
      <QueryState query={status} />
      {status.data && (
        <div className="grid grid-cols-1 w-full max-w-6xl items-start gap-5 p-5 lg:grid-cols-2">
          <div className="space-y-5">
            <NodeFacts status={status.data} />
            <LogHead />
          </div>
          <div className="space-y-5">
            <VerifyCard />
            <BackupCard data={status.data.data} />
            {network && <IndexCard network={network} />}
          </div>
        </div>
      )}
    </>
  );
}

function NodeFacts({ status }: { status: components['schemas']['NodeStatusView'] }) {
  const { t, bytes, number, duration } = useTexts();
  return (
    <Card title={t('settings.node')} about={t('settings.nodeAbout')}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        <Fact name={t('node.version')}>{status.version}</Fact>
        <Fact name={t('node.instance')}>
          <Copied text={status.instance} />
        </Fact>
        <Fact name={t('node.address')}>
          <Copied text={status.url} />
        </Fact>
        <Fact name={t('node.uptime')}>{duration(status.uptime_s)}</Fact>
        <Fact name={t('node.memory')}>{bytes(status.memory_bytes)}</Fact>
        <Fact name={t('node.folder')}>
          <code className="font-mono text-xs break-all">{status.data}</code>
        </Fact>
        {status.networks.map((network) => (
          <Fact key={network.network} name={t(`network.${network.network}`)}>
            {t('start.entities', { count: network.entities, number: number(network.entities) })},{' '}
            {t('node.deleted', { number: number(network.deleted) })},{' '}
            {t('node.moves', { count: network.moves, number: number(network.moves) })}
          </Fact>
        ))}
      </dl>
      <Sizes networks={status.networks} free={status.free_bytes} />
    </Card>
  );
}
