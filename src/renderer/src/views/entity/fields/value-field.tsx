import { Input } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Json, JsonMap } from '../model/json.ts';
import { type Kind, kindOf } from '../model/kinds.ts';
import { type Path, useForm } from './form.ts';
import { JsonField } from './json-field.tsx';
import { ListField } from './list-field.tsx';
import { LongText } from './long-text.tsx';
import { NumberField } from './number-field.tsx';
import { ObjectField } from './object-field.tsx';
import { References } from './references.tsx';

export interface FieldProps<T extends Json = Json> {
  id: string;
  path: Path;
  value: T;
  /** For what has no label of its own beside it. */
  'aria-label'?: string;
}

/** Deeper, and in longer lists, a form would be harder to read than the text. */
const deepest = 5;
const longest = 200;

/** A value in the field of its kind. */
export function ValueField({ kind, ...props }: FieldProps & { kind?: Kind | undefined }) {
  const { t } = useTexts();
  const { change } = useForm();
  const { path, value } = props;
  const shown = kind ?? kindOf(value);
  if (shown === 'object' || shown === 'list') {
    const large = Array.isArray(value) ? value.length > longest : Object.keys(value as JsonMap).length > longest;
    if (path.length > deepest || large) return <JsonField {...props} />;
    if (shown === 'list') return <ListField {...props} value={value as Json[]} />;
    return <ObjectField {...props} value={value as JsonMap} />;
  }
  if (shown === 'number') return <NumberField {...props} value={value as number} />;
  if (shown === 'empty') return <span className="flex h-8 items-center text-quiet italic">{t('value.empty')}</span>;
  if (shown === 'boolean')
    return (
      <span className="flex h-8 items-center gap-2">
        <input
          id={props.id}
          type="checkbox"
          aria-label={props['aria-label']}
          className="size-4 accent-accent"
          checked={value === true}
          onChange={({ target }) => change(path, target.checked)}
        />
        <span aria-hidden className="text-quiet">
          {t(value === true ? 'value.true' : 'value.false')}
        </span>
      </span>
    );
  const text = typeof value === 'string' ? value : '';
  if (shown === 'long') return <LongText {...props} value={text} />;
  return (
    <>
      <Input
        id={props.id}
        type={shown === 'date' ? 'date' : 'text'}
        aria-label={props['aria-label']}
        dir="auto"
        value={text}
        onChange={({ target }) => change(path, target.value)}
      />
      <References text={text} />
    </>
  );
}
