import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

const inputClasses =
  'min-w-0 rounded-md border border-edge bg-surface px-2 text-ink placeholder:text-quiet aria-invalid:border-danger disabled:bg-sunken disabled:text-quiet';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input autoComplete="off" {...props} className={classes(inputClasses, 'h-8', className ?? 'w-full')} />;
}

export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select {...props} className={classes(inputClasses, 'h-8 pr-1', className ?? 'w-full')} />;
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
