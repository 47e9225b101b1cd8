import { Field, Select } from '../../components/field.tsx';
import { type Language, languages, useTexts } from '../../messages/texts.tsx';
import { setPreferences, usePreferences } from '../../preferences/preferences.ts';
import { themes } from '../../shell/theme-menu.tsx';
import { NetworkChoice } from './network-choice.tsx';
import { Profile } from './profile.tsx';
import { Section } from './section.tsx';
import { SettingsHead } from './settings-head.tsx';

/** How the page looks to this person, and who that is. */
export function Settings() {
  return (
    <>
      <SettingsHead />
      <div className="grid grid-cols-1 w-full max-w-5xl gap-8 p-5 lg:grid-cols-2">
        <Appearance />
        <Profile />
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
