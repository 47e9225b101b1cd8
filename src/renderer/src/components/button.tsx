import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

type Look = 'plain' | 'main' | 'quiet' | 'danger';

const base =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 font-medium whitespace-nowrap transition-colors disabled:opacity-55';
const looks: Record<Look, string> = {
  plain: 'border-line bg-surface hover:bg-sunken',
  main: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'border-transparent hover:bg-sunken',
  danger: 'border-transparent bg-danger text-paper hover:opacity-90',
};

/** The classes of a button, for links that look like one. */
export function buttonClasses(look: Look = 'plain', more?: string): string {
  return classes(base, looks[look], more);
}

export function Button({ look = 'plain', className, ...props }: ComponentProps<'button'> & { look?: Look }) {
  return <button type="button" {...props} className={buttonClasses(look, className)} />;
}

/** A button of an icon alone; its label is read out and shown when pointed at. */
export function IconButton({
  label,
  className,
  ...props
}: Omit<ComponentProps<'button'>, 'aria-label' | 'title'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...props}
      className={classes(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-sunken hover:text-ink disabled:opacity-40',
        className,
      )}
    />
  );
}
