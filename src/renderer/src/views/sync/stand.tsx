import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';
import { type Sentence, standWords, type Tone } from './stand-words.ts';
import type { Remote } from './sync-queries.ts';

const looks: Record<Tone, { icon: typeof CircleAlert; colour: string }> = {
  good: { icon: CircleCheck, colour: 'text-good' },
  plain: { icon: CircleDashed, colour: 'text-quiet' },
  look: { icon: TriangleAlert, colour: 'text-warning' },
  wrong: { icon: CircleAlert, colour: 'text-danger' },
};

/** How things stand with a remote: the sentence that says most, and below it the others. */
export function Stand({ remote }: { remote: Remote }) {
  const texts = useTexts();
  const [first, ...others] = standWords(remote, texts, Date.now());
  return (
    <div className="space-y-1.5">
      {first && <Headline sentence={first} />}
      <ul className="space-y-0.5 pl-6 text-quiet">
        {others.map(({ text, tone }) => (
          <li key={text} className={tone === 'plain' ? '' : 'text-warning'}>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Headline({ sentence: { tone, text, quote } }: { sentence: Sentence }) {
  const { t } = useTexts();
  const { icon: Icon, colour } = looks[tone];
  return (
    <div className="flex gap-2">
      <Icon size={16} className={`mt-0.5 shrink-0 ${colour}`} aria-hidden />
      <div className="min-w-0">
        <p className="font-medium">{text}</p>
        {quote && (
          <details className="text-xs text-quiet">
            <summary>{t('sync.ownWords')}</summary>
            <q lang="en" className="break-words">
              {quote}
            </q>
          </details>
        )}
      </div>
    </div>
  );
}
