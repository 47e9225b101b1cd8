import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';

const inputClasses =
  'min-w-0 rounded-md border border-edge bg-surface px-2 text-ink placeholder:text-quiet aria-invalid:border-danger disabled:bg-sunken disabled:text-quiet';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input autoComplete="off" {...props} className={classes(inputClasses, 'h-8', className ?? 'w-full')} />;
}

/** A choice. What is shown is what is meant: a value that is none of the options is shown as it is, not as the first of them. */
export function Select({ className, children, ...props }: ComponentProps<'select'>) {
  const { value } = props;
  const element = useRef<HTMLSelectElement>(null);
  const other = useRef<HTMLOptionElement>(null);
  const [isOther, setIsOther] = useState(false);
  // Each time: options come late, as a list that is asked for.
  useLayoutEffect(() => {
    const options = [...(element.current?.options ?? [])].filter((option) => option !== other.current);
    setIsOther(value !== undefined && !options.some((option) => option.value === String(value)));
  });
  return (
    <select {...props} ref={element} className={classes(inputClasses, 'h-8 pr-1', className ?? 'w-full')}>
      {isOther && (
        <option ref={other} value={value}>
          {value === '' ? '–' : value}
        </option>
      )}
      {children}
    </select>
  );
}

export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea {...props} className={classes(inputClasses, 'block py-1 leading-5', className ?? 'w-full')} />;
}

/** A label over its input; `children` gets the ids that tie the two, and what is wrong, together. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  children(ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }): ReactNode;
}) {
  const id = useId();
  const about = hint || error ? `${id}-about` : undefined;
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-xs font-medium text-quiet">
        {label}
      </label>
      {children({ id, ...(about ? { 'aria-describedby': about } : {}), ...(error ? { 'aria-invalid': true } : {}) })}
      {about && (
        <p id={about} className={classes('text-xs', error ? 'text-danger' : 'text-quiet')}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
