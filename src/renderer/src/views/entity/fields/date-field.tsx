import { type SyntheticEvent, useState } from 'react';
import { Input } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { useFault } from './faults.ts';
import { useForm } from './form.ts';
import type { FieldProps } from './value-field.tsx';

/** A day; what is none yet, such as a month without one, is kept and cannot be saved. */
export function DateField({ path, value, ...props }: FieldProps<string>) {
  const { t } = useTexts();
  const { change } = useForm();
  const [half, setHalf] = useState(false);
  useFault(path, half);
  const look = ({ currentTarget: { value: day, validity } }: SyntheticEvent<HTMLInputElement>) => {
    setHalf(validity.badInput);
    if (!validity.badInput && day !== value) change(path, day);
  };
  return (
    <>
      <Input
        {...props}
        type="date"
        // A year of five digits would be no date that the field shows.
        max="9999-12-31"
        // The browser gives half a day as none, and another value would clear what stands there.
        value={half ? '' : value}
        aria-invalid={half || undefined}
        aria-describedby={half ? `${props.id}?fault` : undefined}
        onChange={look}
        // Where the last part of half a day is taken away, no change is told.
        onKeyUp={look}
        onBlur={look}
      />
      {half && (
        <p id={`${props.id}?fault`} className="text-xs text-danger">
          {t('field.noDate')}
        </p>
      )}
    </>
  );
}
