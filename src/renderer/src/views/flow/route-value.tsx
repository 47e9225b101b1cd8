import { useState } from 'react';
import { Input, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Kind, kindOf } from '../entity/model/kinds.ts';
import { meantBy, plainOf, type RouteValue, type TypedValue, typedOf } from './model/route-value.ts';

interface RouteValueFieldProps {
  /** The number of its route. */
  number: number;
  value: RouteValue;
  onChange(value: RouteValue): void;
}

/** What a route compares with, as it is typed: 1.50 stays so, and the text “1850” is another value than the number. */
export function RouteValueField({ number, value, onChange }: RouteValueFieldProps) {
  const { t } = useTexts();
  const [last, setLast] = useState(() => typedOf(value));
  // Another version came, or another route has this place now.
  const typed = meantBy(last) === value ? last : typedOf(value);
  const type = (next: TypedValue) => {
    setLast(next);
    onChange(meantBy(next));
  };
  const kind = plainKind(value);
  const plain = plainOf(typed.text);
  const kinds = [...new Set<Kind>(['text', kind, ...(plain === undefined ? [] : [plainKind(plain)])])];
  return (
    <>
      <Input
        aria-label={t('flow.routeValue', { number })}
        className="grow basis-24"
        value={typed.text}
        onChange={({ target }) => type({ ...typed, text: target.value })}
      />
      <Select
        aria-label={t('flow.routeAs', { number })}
        className="w-24"
        disabled={kinds.length === 1}
        value={kind}
        onChange={({ target }) => type({ ...typed, as: target.value === 'text' ? 'text' : 'plain' })}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {t(`kind.${one}`)}
          </option>
        ))}
      </Select>
    </>
  );
}

/** Dates and long texts are texts here. */
function plainKind(value: RouteValue): Kind {
  return typeof value === 'string' ? 'text' : kindOf(value);
}
