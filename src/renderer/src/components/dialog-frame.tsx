import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { Shade } from './shade.tsx';
import { useFocusBack } from './use-focus-back.ts';

export interface DialogFrameProps {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  /** What it is about, in a sentence. */
  about?: ReactNode;
  /** As wide as the page allows. */
  wide?: boolean;
  /** It is only read, so that the keys that scroll it are its own. */
  reading?: boolean;
  /** A click beside it does nothing, rather than close it. */
  stays?: boolean;
  /** The buttons below. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A window over the page. The focus stays in it, Escape closes it, and the focus goes back to where it was. */
export function DialogFrame(props: DialogFrameProps) {
  const { open, onClose, title, about, wide, reading, stays, actions, children } = props;
  const { t } = useTexts();
  const back = useFocusBack(open);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Shade onClick={() => !stays && onClose()} />
        <Radix.Content
          {...(about ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={toFirstField}
          onCloseAutoFocus={back}
          onEscapeKeyDown={(event) => hasOwnEscape(event.target) && event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className={classes(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[90vh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-surface shadow-xl',
            wide ? 'max-w-5xl' : 'max-w-lg',
          )}
        >
          <header className="flex items-start gap-2 border-b border-line py-2 pr-2 pl-4">
            <div className="min-w-0 flex-1 py-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {about && <Radix.Description className="mt-1 text-quiet">{about}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label={t('dialog.close')}>
                <X size={16} aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          {children && (
            <div {...(reading ? { tabIndex: 0 } : {})} className="min-h-0 flex-1 overflow-auto p-4">
              {children}
            </div>
          )}
          {actions && <footer className="flex justify-end gap-2 border-t border-line p-3">{actions}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Where something is asked, the answer can be typed at once; else the focus stays where Radix puts it. */
function toFirstField(event: Event): void {
  const place = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('input, textarea, select');
  if (!place) return;
  event.preventDefault();
  place.focus();
}

/** Whether something within it is closed by Escape first, as the list of a field: `data-escape`. */
function hasOwnEscape(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-escape]') !== null;
}
