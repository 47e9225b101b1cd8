import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';

interface CopiedProps {
  text: string;
  whole?: boolean;
  className?: string;
  onCopied?(): void;
}

/** An id or a CID, shortened in its middle unless it is wanted `whole`, with a button that copies all of it. */
export function Copied({ text, whole, className, onCopied }: CopiedProps) {
  const { t } = useTexts();
  const [done, setDone] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      setDone(true);
      onCopied?.();
      setTimeout(() => setDone(false), 1500);
    });
  const Icon = done ? Check : Copy;
  return (
    <span className={classes('inline-flex items-center gap-1 align-middle', className)}>
      <code className="font-mono text-xs break-words text-quiet" title={text}>
        {!whole && text.length > 30 ? `${text.slice(0, 12)}…${text.slice(-8)}` : text}
      </code>
      <IconButton label={done ? t('action.copied') : t('action.copy')} onClick={copy} small>
        <Icon size={13} aria-hidden />
      </IconButton>
    </span>
  );
}
