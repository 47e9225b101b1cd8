import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { useHeld } from './use-held.ts';

type Look = 'plain' | 'main' | 'quiet' | 'danger';

const base =
  'inline-flex shrink-0 items-center justify-center gap-1.5 border font-medium whitespace-nowrap transition-colors print:hidden disabled:opacity-55 aria-disabled:opacity-55';
const looks: Record<Look, string> = {
  plain: 'border-line bg-surface hover:bg-sunken',
  main: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'border-transparent hover:bg-sunken',
  danger: 'border-transparent bg-danger text-paper hover:opacity-90',
};

/** The classes of a button, for links that look like one. `small` ones stand between other small things. */
export function buttonClasses(look: Look = 'plain', small = false): string {
  return classes(base, small ? 'h-7 rounded-full px-2.5 text-xs' : 'h-8 rounded-md px-3', looks[look]);
}

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  small?: boolean;
}

export function Button({ look, small, className, ...props }: ButtonProps) {
  const held = useHeld(props);
  return <button type="button" {...props} {...held} className={classes(buttonClasses(look, small), className)} />;
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  label: string;
  small?: boolean;
}

/** A button of an icon alone; its label is read out and shown when pointed at. */
export function IconButton({ label, small, className, ...props }: IconButtonProps) {
  const held = useHeld(props);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...props}
      {...held}
      className={classes(
        'inline-flex shrink-0 items-center justify-center rounded-md text-quiet print:hidden hover:bg-sunken hover:text-ink disabled:opacity-40 aria-disabled:opacity-40',
        small ? 'size-6' : 'size-8',
        className,
      )}
    />
  );
}
