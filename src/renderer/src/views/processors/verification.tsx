import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { cardQuery, entityQuery } from '../entity/entity-queries.ts';

interface VerificationProps {
  id: string;
  kind: 'agent' | 'klados';
  endpoint: string;
  verifiedAt: string | null;
}

type Challenge = components['schemas']['AgentTokenView'];
type Outcome = components['schemas']['VerifiedView'] | components['schemas']['UnverifiedView'];

const paths = { agent: '/agents/{id}/verify', klados: '/kladoi/{id}/verify' } as const;

/** How an endpoint proves that it belongs to this processor: step by step, with what it has to serve. */
export function Verification({ id, kind, endpoint, verifiedAt }: VerificationProps) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const service = useQuery(cardQuery).data?.service;
  const ask = (confirm: boolean) => answered(api.POST(paths[kind], { params: { path: { id } }, body: { confirm } }));
  const token = useMutation({ mutationFn: () => ask(false) });
  const proof = useMutation({
    mutationFn: () => ask(true),
    onSuccess: (answer) => {
      if ((answer as Outcome).verified) toast(t('proving.done'));
      void queries.invalidateQueries({ queryKey: entityQuery(id).queryKey });
      void queries.invalidateQueries({ queryKey: ['processors'] });
    },
  });
  const challenge = token.data && 'verification_token' in token.data ? (token.data as Challenge) : null;
  const served = challenge && { verification_token: challenge.verification_token, [`${kind}_id`]: id };
  const outcome = proof.data as Outcome | undefined;
  const failure = outcome?.verified === false ? outcome : null;
  const done = verifiedAt !== null && failure === null && !token.data;
  return (
    <section aria-labelledby="verification" className="space-y-3">
      <h2 id="verification" className="text-base font-semibold">
        {t('proving.title')}
      </h2>
      {done ? (
        <p className="flex items-center gap-2 rounded-md bg-good-soft px-3 py-2">
          <BadgeCheck size={16} className="shrink-0 text-good" aria-hidden />
          <span>
            {t('proving.since')} <Moment at={verifiedAt} />
          </span>
        </p>
      ) : (
        <p className="text-quiet">{t('proving.about')}</p>
      )}
      <ol className="space-y-3">
        <Step number={1} title={t('proving.token')}>
          <Button onClick={() => token.mutate()} disabled={token.isPending}>
            {challenge ? t('proving.tokenAgain') : t('proving.tokenAsk')}
          </Button>
          {challenge && (
            <p className="text-xs text-quiet">
              {t('proving.until')} <Moment at={challenge.expires_at} />
            </p>
          )}
          {token.error && <Problem error={token.error} />}
        </Step>
        <Step number={2} title={t('proving.serve')}>
          {service && <Copied text={`${endpoint}/.well-known/${service}-verification`} whole className="break-all" />}
          {served && (
            <div className="rounded-md bg-sunken p-2">
              <Copied text={JSON.stringify(served)} whole className="break-all" />
            </div>
          )}
        </Step>
        <Step number={3} title={t('proving.prove')}>
          <Button look={challenge ? 'main' : 'plain'} onClick={() => proof.mutate()} disabled={proof.isPending}>
            {proof.isPending ? t('state.waiting') : t('proving.proveAsk')}
          </Button>
          {failure && (
            <div role="alert" className="rounded-md bg-danger-soft px-3 py-2">
              <p className="font-medium">{t(`proving.fault.${faultOf(failure.error)}`)}</p>
              <p className="text-xs break-words text-quiet">{failure.message}</p>
            </div>
          )}
          {proof.error && <Problem error={proof.error} />}
        </Step>
      </ol>
    </section>
  );
}

/** The two codes of another id are one to people. */
function faultOf(code: string) {
  const known = ['no_token', 'token_expired', 'fetch_failed', 'invalid_response', 'token_mismatch'] as const;
  return known.find((one) => one === code) ?? 'id_mismatch';
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden
        className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1 space-y-2 pt-0.5">
        <p>{title}</p>
        {children}
      </div>
    </li>
  );
}
