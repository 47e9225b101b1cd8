import { Input } from '../../../components/field.tsx';
import { keptLines } from '../../../components/kept-lines.ts';
import { useForm } from './form.ts';
import { References } from './references.tsx';
import type { FieldProps } from './value-field.tsx';

/** A text of one line; what is pasted keeps its lines, in the field of several lines that it then becomes. */
export function TextLine({ path, value, ...props }: FieldProps<string>) {
  const { change } = useForm();
  return (
    <>
      <Input
        {...props}
        className="w-full print:hidden"
        dir="auto"
        value={value}
        onChange={({ target }) => change(path, target.value)}
        {...keptLines(props.id, value, (text) => change(path, text))}
      />
      {/* On paper a field would be cut off. */}
      <p
        data-text={value}
        className="hidden break-words before:content-[attr(data-text)] print:block"
        dir="auto"
        aria-hidden
      />
      <References text={value} />
    </>
  );
}
