import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../components/button.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Json } from '../model/json.ts';
import { converted, kindOf } from '../model/kinds.ts';
import { useForm } from './form.ts';
import { moved, useItemKeys } from './use-item-keys.ts';
import { useShown } from './use-shown.ts';
import { type FieldProps, ValueField } from './value-field.tsx';

/** A list: each item in the field of its kind; they can be moved, taken out and added. */
export function ListField({ id, path, value, 'aria-label': label }: FieldProps<Json[]>) {
  const { t } = useTexts();
  const { change } = useForm();
  const items = useItemKeys(value.length);
  const move = (from: number, to: number) => {
    items.move(from, to);
    change(path, moved(value, from, to));
  };
  const remove = (at: number) => {
    items.remove(at);
    change([...path, at], undefined);
  };
  const add = () => {
    const last = value.at(-1);
    change(path, [...value, last === undefined ? '' : emptyLike(last)]);
  };
  return (
    <ol id={id} aria-label={label} className="space-y-1 border-l-2 border-line pl-3">
      {value.map((item, i) => (
        // Where there is no room beside it, what is done with an item stands above it: lists may stand in lists.
        <li key={items.keys[i]} className="@container">
          <div className="grid grid-cols-1 items-start gap-x-0.5 @3xs:grid-cols-[minmax(0,1fr)_auto]">
            <div className="min-w-0">
              <Item
                id={`${id}/${i}`}
                path={[...path, i]}
                value={item}
                aria-label={t('field.item', { number: i + 1 })}
              />
            </div>
            <div className="order-first flex justify-end gap-0.5 @3xs:order-none">
              <IconButton
                label={t('field.itemUp', { number: i + 1 })}
                disabled={i === 0}
                onClick={() => move(i, i - 1)}
              >
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={t('field.itemDown', { number: i + 1 })}
                disabled={i === value.length - 1}
                onClick={() => move(i, i + 1)}
              >
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton label={t('field.itemRemove', { number: i + 1 })} onClick={() => remove(i)}>
                <X size={14} aria-hidden />
              </IconButton>
            </div>
          </div>
        </li>
      ))}
      <li>
        <Button small onClick={add}>
          <Plus size={13} aria-hidden />
          {t('field.itemAdd')}
        </Button>
      </li>
    </ol>
  );
}

function Item(props: FieldProps) {
  const [shown] = useShown(props.value, props.path.length);
  return <ValueField key={shown} {...props} shown={shown} />;
}

/** What the next item begins with: nothing, of the kind that the one before it is. */
function emptyLike(value: Json): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, emptyLike(inner)]));
  const kind = kindOf(value);
  return kind === 'number' ? 0 : kind === 'date' || kind === 'long' || kind === 'text' ? '' : converted(null, kind);
}
