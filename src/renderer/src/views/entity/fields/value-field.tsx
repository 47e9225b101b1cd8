import { useTexts } from '../../../messages/texts.tsx';
import type { Json, JsonMap } from '../model/json.ts';
import type { Shown } from '../model/kinds.ts';
import { DateField } from './date-field.tsx';
import { type Path, useForm } from './form.ts';
import { JsonField } from './json-field.tsx';
import { ListField } from './list-field.tsx';
import { LongText } from './long-text.tsx';
import { NumberField } from './number-field.tsx';
import { ObjectField } from './object-field.tsx';
import { Opened } from './opened.tsx';
import { TextLine } from './text-line.tsx';

export interface FieldProps<T extends Json = Json> {
  /** Of the form and the names on the way to it, with signs between them that stand in no name, so that no two are the same. */
  id: string;
  path: Path;
  value: T;
  /** For what has no label of its own beside it. */
  'aria-label'?: string;
}

/** A value in the field of its kind. */
export function ValueField({ shown, ...props }: FieldProps & { shown: Shown }) {
  const { t } = useTexts();
  const { change } = useForm();
  const { path, value } = props;
  const text = typeof value === 'string' ? value : '';
  if (shown === 'json')
    return (
      <Opened value={value}>
        <JsonField {...props} />
      </Opened>
    );
  if (shown === 'list') return <ListField {...props} value={value as Json[]} />;
  if (shown === 'object') return <ObjectField {...props} value={value as JsonMap} />;
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
  if (shown === 'long')
    return (
      <Opened value={text}>
        <LongText {...props} value={text} />
      </Opened>
    );
  if (shown === 'date') return <DateField {...props} value={text} />;
  return <TextLine {...props} value={text} />;
}
