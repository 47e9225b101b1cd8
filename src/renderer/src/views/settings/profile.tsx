import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { Fact } from '../../components/fact.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useInstead } from '../../components/loss-dialog.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { meQuery } from '../../session/me.ts';
import { useLoss, useUnsaved } from '../../session/unsaved.ts';
import { Section } from './section.tsx';

/** Who one is here, and under which name one's changes stand. */
export function Profile() {
  const { t } = useTexts();
  const me = useQuery(meQuery);
  return (
    <Section title={t('profile.title')} about={t('profile.about')}>
      {me.isPending && <Waiting />}
      {me.error && <Problem error={me.error} retry={() => void me.refetch()} />}
      {me.data && (
        <>
          {/* Another version is another form, unless something is being typed. */}
          <NameForm id={me.data.id} tip={me.data.cid} label={text(me.data.properties.label)} />
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            <Fact name={t('profile.id')}>
              <Copied text={me.data.id} />
            </Fact>
            <Fact name={t('profile.since')}>
              <Moment at={me.data.created_at} />
            </Fact>
          </dl>
          <p>
            <Link to="/entities/$id/history" params={{ id: me.data.id }} className="text-accent underline">
              {t('profile.history')}
            </Link>
          </p>
        </>
      )}
      <SignOut />
    </Section>
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The name, saved over the version that was read when typing began. */
function NameForm({ id, tip, label }: { id: string; tip: string; label: string }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<{ name: string; tip: string } | null>(null);
  const save = useMutation({
    mutationFn: ({ name, tip: expect_tip }: { name: string; tip: string }) =>
      answered(api.PUT('/users/{id}', { params: { path: { id } }, body: { expect_tip, label: name } })),
    onSuccess: async ({ cid }, sent) => {
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      // What was typed while it was saved is not saved yet, and stays.
      setDraft((now) => now && (now.name.trim() === sent.name ? null : { name: now.name, tip: cid }));
      toast(t('profile.saved'));
      void queries.invalidateQueries();
    },
    onError: () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  const overtaken = save.error instanceof Failure && save.error.kind === 'conflict';
  const name = draft?.name.trim() ?? '';
  useUnsaved(draft !== null && draft.name !== label);
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft && name) save.mutate({ name, tip: draft.tip });
      }}
    >
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <Field label={t('profile.name')}>
            {(ids) => (
              <Input
                {...ids}
                value={draft?.name ?? label}
                onChange={({ target }) => setDraft({ name: target.value, tip: draft?.tip ?? tip })}
              />
            )}
          </Field>
        </div>
        <Button look="main" type="submit" disabled={!name || name === label || save.isPending}>
          {t('save.save')}
        </Button>
      </div>
      {save.error && (
        <Problem error={save.error}>
          {overtaken && (
            <>
              <p className="w-full">{t('profile.overtaken', { name: label })}</p>
              <Button onClick={() => save.mutate({ name, tip })} disabled={!name}>
                {t('profile.mine')}
              </Button>
              <Button
                onClick={() => {
                  setDraft(null);
                  save.reset();
                }}
              >
                {t('profile.theirs')}
              </Button>
            </>
          )}
        </Problem>
      )}
    </form>
  );
}

function SignOut() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const go = useNavigate();
  const { instead, question } = useInstead(useLoss());
  const out = useMutation({
    mutationFn: async () => {
      await answered(api.DELETE('/node/session'));
      await go({ to: '/', ignoreBlocker: true });
      queries.clear();
      location.reload();
    },
  });
  return (
    <div className="space-y-2">
      {out.error && <Problem error={out.error} />}
      <Button disabled={out.isPending} onClick={() => instead(() => out.mutate())}>
        {t('session.signOut')}
      </Button>
      {question}
      <p className="text-xs text-quiet">{t('session.signedIn')}</p>
    </div>
  );
}
