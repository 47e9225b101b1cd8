import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { takeDraft, useTyped } from './draft.ts';

/** What was typed over an entity that cannot be shown, to be copied: it is nowhere else. */
export function Stranded({ id }: { id: string }) {
  const { t } = useTexts();
  const typed = useTyped(id);
  if (!typed) return null;
  return (
    <div role="alert" className="space-y-2 rounded-md bg-warning-soft px-3 py-2">
      <Field label={t('entity.stranded')} hint={t('entity.strandedAbout')}>
        {(ids) => (
          <TextArea
            {...ids}
            readOnly
            dir="ltr"
            rows={12}
            className="w-full font-mono text-xs"
            value={JSON.stringify(typed.content, null, 2)}
          />
        )}
      </Field>
      <Button onClick={() => void takeDraft(id)}>{t('save.discard')}</Button>
    </div>
  );
}
