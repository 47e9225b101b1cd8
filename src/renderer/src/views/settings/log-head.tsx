import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { copyText } from '../../components/copy-text.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { saveAs } from '../../components/save-as.ts';
import { toast } from '../../components/toasts.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { Card } from './section.tsx';

/** The newest signed head of the log of all changes: kept elsewhere, it shows later that nothing was rewritten. */
export function LogHead() {
  const { t, number } = useTexts();
  const head = useQuery({
    queryKey: ['log-head'],
    queryFn: ({ signal }) => answered(api.GET('/node/attestations/head', { signal })),
    retry: false,
    refetchInterval: 10_000,
  });
  const none = head.error instanceof Failure && head.error.kind === 'missing';
  const text = `${JSON.stringify(head.data, null, 2)}\n`;
  const copy = async () => toast(t((await copyText(text)) ? 'log.copied' : 'log.notCopied'));
  const save = () =>
    saveAs(new Blob([text], { type: 'application/json' }), `archeion-head-${head.data?.size ?? 0}.json`);
  return (
    <Card
      title={t('log.title')}
      about={t('log.about')}
      actions={
        head.data && (
          <>
            <Button onClick={() => void copy()}>{t('log.copy')}</Button>
            <Button onClick={save}>{t('log.save')}</Button>
          </>
        )
      }
    >
      {head.isPending && <Waiting />}
      {none && <p className="text-quiet">{t('log.none')}</p>}
      {head.error && !none && <Problem error={head.error} retry={() => void head.refetch()} />}
      {head.data && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          <Fact name={t('log.size')}>{number(head.data.size)}</Fact>
          <Fact name={t('log.time')}>
            <Moment at={head.data.time} />
          </Fact>
          <Fact name={t('log.root')}>
            <Copied text={head.data.root} />
          </Fact>
          <Fact name={t('log.key')}>
            <Copied text={head.data.key_id} />
          </Fact>
          <Fact name={t('log.signature')}>
            <Copied text={head.data.signature} />
          </Fact>
        </dl>
      )}
    </Card>
  );
}
