import { useState } from 'react';
import { classes } from '../../components/classes.ts';
import { Moment } from '../../components/moment.tsx';
import { ownWords } from '../../components/node-words.ts';
import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { logMessages } from './model/log-messages.ts';

const looks = {
  info: 'bg-accent-soft text-accent',
  success: 'bg-good-soft text-good',
  warning: 'bg-warning-soft text-warning',
  error: 'bg-danger-soft text-danger',
};

/** So many are shown, and so many more each time that more are asked for. */
const step = 500;

/** What a processor wrote into its log. */
export function LogMessages({ properties }: { properties: unknown }) {
  const { t } = useTexts();
  const [most, setMost] = useState(step);
  const messages = logMessages(properties);
  const shown = messages.slice(0, most);
  if (properties !== undefined && messages.length === 0) return <p className="text-quiet">{t('job.emptyLog')}</p>;
  return (
    <>
      <ol className="space-y-1.5">
        {shown.map(({ level, message, at, more }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only ever added at the end
          <li key={i} className="flex flex-wrap items-baseline gap-x-3">
            <span className={classes('w-16 rounded px-1.5 text-center text-xs', looks[level])}>
              {t(`job.level.${level}`)}
            </span>
            <span className="min-w-0 flex-1 break-words">
              <bdi>{ownWords(t, message) ?? message}</bdi>
              {more && (
                <code className="block font-mono text-xs break-all text-quiet" dir="ltr">
                  {more}
                </code>
              )}
            </span>
            {at && (
              <span className="text-xs text-quiet">
                <Moment at={at} />
              </span>
            )}
          </li>
        ))}
      </ol>
      <ShowMore total={messages.length} listed={shown.length} onMore={() => setMost(most + step)} />
    </>
  );
}
