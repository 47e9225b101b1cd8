import { useNavigate, useSearch } from '@tanstack/react-router';
import { Field, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';

/** The network that the page shows. It is part of every address, so that a bookmark leads where it was made. */
export function NetworkChoice() {
  const { t } = useTexts();
  const go = useNavigate();
  const { network } = useSearch({ from: '__root__' });
  const change = (next: string) =>
    void go({ to: '.', search: next === 'test' ? { network: 'test' } : { network: undefined } });
  return (
    <Field label={t('settings.network')} hint={t('settings.networkAbout')}>
      {(ids) => (
        <Select {...ids} value={network ?? 'main'} onChange={({ target }) => change(target.value)}>
          <option value="main">{t('network.main')}</option>
          <option value="test">{t('network.test')}</option>
        </Select>
      )}
    </Field>
  );
}
