import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answered, api } from '../../../api/client.ts';
import { TextArea } from '../../../components/field.tsx';
import { withLineEnds } from '../../../components/kept-lines.ts';
import { Problem } from '../../../components/problem.tsx';
import { Waiting } from '../../../components/waiting.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { useForm } from './form.ts';
import { References } from './references.tsx';
import type { FieldProps } from './value-field.tsx';

/** A text of several lines, with what its markdown looks like beside it when that is wanted. */
export function LongText({ path, value, ...props }: FieldProps<string>) {
  const { t } = useTexts();
  const { change, service } = useForm();
  const [preview, setPreview] = useState(false);
  const rows = Math.min(16, Math.max(3, value.split(/\r\n|\r|\n/).length + Math.floor(value.length / 90)));
  return (
    <div>
      <div className={preview ? 'grid grid-cols-1 gap-3 xl:grid-cols-2' : ''}>
        <TextArea
          {...props}
          dir="auto"
          rows={rows}
          value={value}
          onChange={({ target }) => change(path, withLineEnds(value, target.value))}
        />
        {preview && (
          <div className="max-h-96 overflow-auto rounded-md border border-line bg-surface px-3 py-1" dir="auto">
            <Preview text={value} service={service} />
          </div>
        )}
      </div>
      <div className="flex flex-wrap items-start gap-2">
        <button
          type="button"
          aria-pressed={preview}
          onClick={() => setPreview(!preview)}
          className="mt-0.5 rounded px-1 text-xs text-accent hover:underline print:hidden"
        >
          {t(preview ? 'field.hidePreview' : 'field.preview')}
        </button>
        <References text={value} />
      </div>
    </div>
  );
}

/** Where its part of the page does not come it says so here: the screen around it stays, with all that is typed. */
function Preview({ text, service }: { text: string; service: string }) {
  const part = useQuery({
    queryKey: ['part', 'markdown'],
    queryFn: async () => {
      // What a browser could not import once it does not ask for again, as long as the page is open.
      await answered(api.GET('/health'));
      return (await import('../../../components/markdown.tsx')).Markdown;
    },
    staleTime: 'static',
    // Once it is here it needs no node any more.
    gcTime: Number.POSITIVE_INFINITY,
  });
  const Markdown = part.data;
  if (Markdown) return <Markdown text={text} service={service} />;
  // Beside the text there is little room.
  return part.error ? <Problem error={part.error} retry={() => void part.refetch()} /> : <Waiting />;
}
