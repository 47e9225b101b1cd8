import { Field, Select } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Samples } from './use-samples.ts';

/** Which of several files is looked at, and in what each of them is read. */
export function FileChoice({ files, samples }: { files: readonly File[]; samples: Samples }) {
  const { t } = useTexts();
  const { index, show, encodings } = samples;
  if (files.length === 1) return null;
  return (
    <div className="max-w-sm">
      <Field label={t('import.shownFile')}>
        {(ids) => (
          <Select {...ids} value={index} onChange={({ target }) => show(Number(target.value))}>
            {[...files.entries()].map(([at, { name }]) => {
              const encoding = encodings?.[at];
              return (
                <option key={at} value={at}>
                  {encoding ? t('import.fileIn', { name, encoding: t(`import.encoding.${encoding}`) }) : name}
                </option>
              );
            })}
          </Select>
        )}
      </Field>
    </div>
  );
}
