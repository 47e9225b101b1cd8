import { Check, Copy } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { copyText } from './copy-text.ts';
import { toast } from './toasts.tsx';

interface CopiedProps {
  text: string;
  whole?: boolean;
  className?: string;
  onCopied?(): void;
}

/** An id or a CID, shortened in its middle unless it is wanted `whole`, with a button that copies all of it; where it may not, all is selected. */
export function Copied({ text, whole, className, onCopied }: CopiedProps) {
  const { t } = useTexts();
  const [done, setDone] = useState(false);
  const [byHand, setByHand] = useState(0);
  const shown = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (byHand > 0 && shown.current) getSelection()?.selectAllChildren(shown.current);
  }, [byHand]);
  const copy = async () => {
    if (!(await copyText(text))) {
      setByHand((times) => times + 1);
      toast(t('action.copyByHand'));
      return;
    }
    setDone(true);
    onCopied?.();
    setTimeout(() => setDone(false), 1500);
  };
  const Icon = done ? Check : Copy;
  return (
    <span className={classes('inline-flex items-center gap-1 align-middle', className)}>
      <code ref={shown} className="font-mono text-xs break-words text-quiet" title={text}>
        {!whole && byHand === 0 && text.length > 30 ? `${text.slice(0, 12)}…${text.slice(-8)}` : text}
      </code>
      <IconButton label={done ? t('action.copied') : t('action.copy')} onClick={() => void copy()} small>
        <Icon size={13} aria-hidden />
      </IconButton>
    </span>
  );
}
