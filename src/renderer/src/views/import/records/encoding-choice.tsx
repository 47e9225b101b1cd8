import { Field, Select } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Sample, TextEncoding } from './sample.ts';

/** The likely ones first. */
const encodings: TextEncoding[] = [
  ...(['utf-8', 'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'iso-8859-2', 'iso-8859-15'] as const),
  ...(['macintosh', 'utf-16le', 'utf-16be', 'shift_jis', 'gb18030', 'big5', 'euc-kr'] as const),
];

interface EncodingChoiceProps {
  sample: Sample;
  onChange(encoding: TextEncoding): void;
}

/** In what the file is written: the names of the first records show whether it is right. */
export function EncodingChoice({ sample: { encoding, isGuess }, onChange }: EncodingChoiceProps) {
  const { t } = useTexts();
  return (
    <div className="max-w-sm">
      <Field
        label={t('import.encoding')}
        {...(isGuess && { hint: t('import.encodingGuessed', { name: t(`import.encoding.${encoding}`) }) })}
      >
        {(ids) => (
          <Select {...ids} value={encoding} onChange={({ target }) => onChange(target.value as TextEncoding)}>
            {encodings.map((name) => (
              <option key={name} value={name}>
                {t(`import.encoding.${name}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
