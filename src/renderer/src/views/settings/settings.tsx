import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { Field, Select } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { type Language, languages, useTexts } from '../../messages/texts.tsx';
import { setPreferences, usePreferences } from '../../preferences/preferences.ts';
import { themes } from '../../shell/theme-menu.tsx';
import { statusQuery } from '../start/status-query.ts';
import { NetworkChoice } from './network-choice.tsx';

/** How the page looks to this person, and what the node is. */
export function Settings() {
  const { t } = useTexts();
  return (
    <>
      <PageHead title={t('settings.title')} />
      <div className="grid w-full max-w-5xl gap-8 p-5 lg:grid-cols-2">
        <Appearance />
        <NodeFacts />
      </div>
    </>
  );
}

function Appearance() {
  const { t } = useTexts();
  const { theme, language, letters } = usePreferences();
  return (
    <Section title={t('settings.page')} about={t('settings.pageAbout')}>
      <Field label={t('settings.theme')}>
        {(ids) => (
          <Select
            {...ids}
            value={theme ?? ''}
            onChange={({ target }) => setPreferences({ theme: (target.value || undefined) as typeof theme })}
          >
            {themes.map(({ theme: each, label }) => (
              <option key={label} value={each ?? ''}>
                {t(label)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('settings.language')} hint={t('settings.languageAbout')}>
        {(ids) => (
          <Select
            {...ids}
            value={language ?? ''}
            onChange={({ target }) => setPreferences({ language: (target.value || undefined) as Language | undefined })}
          >
            <option value="">{t('settings.languageOfBrowser')}</option>
            {Object.entries(languages).map(([tag, { name }]) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          checked={letters}
          onChange={({ target }) => setPreferences({ letters: target.checked })}
        />
        <span>
          {t('settings.letters')}
          <span className="block text-xs text-quiet">{t('settings.lettersAbout')}</span>
        </span>
      </label>
      <NetworkChoice />
    </Section>
  );
}

function NodeFacts() {
  const { t, bytes, number } = useTexts();
  const status = useQuery(statusQuery);
  return (
    <Section title={t('settings.node')} about={t('settings.nodeAbout')}>
      {status.isPending && <Waiting />}
      {status.error && <Problem error={status.error} retry={() => void status.refetch()} />}
      {status.data && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
          <Fact name={t('node.version')}>{status.data.version}</Fact>
          <Fact name={t('node.folder')}>
            <code className="font-mono text-xs break-all">{status.data.data}</code>
          </Fact>
          <Fact name={t('node.instance')}>
            <Copied text={status.data.instance} />
          </Fact>
          <Fact name={t('node.memory')}>{bytes(status.data.memory_bytes)}</Fact>
          {status.data.networks.map((network) => (
            <Fact key={network.network} name={t(`network.${network.network}`)}>
              {t('start.entities', { count: network.entities, number: number(network.entities) })},{' '}
              {t('node.deleted', { number: number(network.deleted) })}
              <span className="block text-quiet">
                {t('node.sizes', { database: bytes(network.database_bytes), files: bytes(network.file_bytes) })}
              </span>
            </Fact>
          ))}
        </dl>
      )}
      <SignOut />
    </Section>
  );
}

function SignOut() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const go = useNavigate();
  const out = async () => {
    await api.DELETE('/node/session');
    await go({ to: '/' });
    queries.clear();
    location.reload();
  };
  return (
    <div>
      <Button onClick={() => void out()}>{t('session.signOut')}</Button>
      <p className="mt-1 text-xs text-quiet">{t('session.signedIn')}</p>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section className="space-y-4">
      <div>
        <h2 className="text-base font-semibold">{title}</h2>
        <p className="text-quiet">{about}</p>
      </div>
      {children}
    </section>
  );
}
