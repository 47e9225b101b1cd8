import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CloudDownload, FileArchive, FileUp, type LucideIcon } from 'lucide-react';
import { currentNetwork } from '../../api/client.ts';
import { Copied } from '../../components/copied.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { quoted } from '../../components/quoted.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { MessageKey } from '../../messages/translate.ts';
import { statusQuery } from './status-query.ts';

const steps: {
  icon: LucideIcon;
  title: MessageKey;
  about: MessageKey;
  command: string;
  to: '/sync' | '/import';
  keys: string;
}[] = [
  {
    icon: FileUp,
    title: 'start.import',
    about: 'start.importAbout',
    command: 'archeion import FILE.csv --collection NAME',
    to: '/import',
    keys: 'g i',
  },
  {
    icon: CloudDownload,
    title: 'start.mirror',
    about: 'start.mirrorAbout',
    command: 'archeion remote add NAME URL --key KEY',
    to: '/sync',
    keys: 'g y',
  },
  {
    icon: FileArchive,
    title: 'start.archive',
    about: 'start.archiveAbout',
    command: 'archeion import-car FILE.car',
    to: '/import',
    keys: 'g i',
  },
];

/** A node that holds nothing yet: the ways in which something comes into it. */
export function FirstSteps() {
  const { t } = useTexts();
  const { data: status } = useQuery(statusQuery);
  // Without the folder a command would make a node of its own where this one is elsewhere than usual.
  const where = status && `--data ${quoted(status.data)}${currentNetwork() === 'test' ? ' --network test' : ''}`;
  return (
    <div className="max-w-4xl p-5">
      <p className="mb-5 text-base text-quiet">{t('start.emptyAbout')}</p>
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {steps.map(({ icon: Icon, title, about, command, to, keys }) => (
          <li key={title} className="flex flex-col rounded-lg border border-line bg-surface p-4">
            <p className="mb-3 flex items-center justify-between">
              <Icon size={22} strokeWidth={1.5} className="text-accent" aria-hidden />
              <KeyCaps keys={keys} />
            </p>
            <h2 className="font-semibold">
              <Link to={to} search={{ add: true }} className="text-accent underline">
                {t(title)}
              </Link>
            </h2>
            <p className="mt-1 mb-3 flex-1 text-quiet">{t(about)}</p>
            {where && <Copied text={`${command} ${where}`} whole />}
          </li>
        ))}
      </ul>
    </div>
  );
}
