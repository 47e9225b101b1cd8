import { Link } from '@tanstack/react-router';
import { Link2 } from 'lucide-react';
import { useTexts } from '../../../messages/texts.tsx';
import { referencesIn } from '../model/kinds.ts';
import { PeerName } from '../peer-name.tsx';
import { useForm } from './form.ts';

/** The entities that a text refers to inline, as links. */
export function References({ text }: { text: string }) {
  const { t } = useTexts();
  const { service } = useForm();
  const ids = referencesIn(text, service);
  if (ids.length === 0) return null;
  return (
    <ul aria-label={t('field.references')} className="mt-0.5 flex flex-wrap gap-1.5">
      {ids.map((id) => (
        <li key={id}>
          <Reference id={id} />
        </li>
      ))}
    </ul>
  );
}

function Reference({ id }: { id: string }) {
  return (
    <Link
      to="/entities/$id"
      params={{ id }}
      className="inline-flex max-w-72 items-center gap-1 rounded bg-accent-soft px-1.5 text-xs text-accent-strong hover:underline"
    >
      <Link2 size={11} aria-hidden className="shrink-0" />
      <span className="truncate">
        <PeerName id={id} />
      </span>
    </Link>
  );
}
