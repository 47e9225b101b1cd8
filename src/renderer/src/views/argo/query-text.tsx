import { tokenize } from './language/tokens.ts';

const colours: Partial<Record<string, string>> = {
  text: 'text-good',
  type: 'font-semibold text-accent',
  id: 'text-accent',
  relation: 'font-semibold text-warning',
  depth: 'text-warning',
};

/** A query to be read, in the editor's colours. */
export function QueryText({ query, className = 'break-words' }: { query: string; className?: string }) {
  const { tokens } = tokenize(query);
  return (
    <code className={`block font-mono text-xs leading-5 ${className}`}>
      <bdi>
        {tokens.map(({ kind, from, to }, i) => (
          <span key={from}>
            {query.slice(tokens[i - 1]?.to ?? 0, from)}
            <span className={colours[kind] ?? 'text-quiet'}>{query.slice(from, to)}</span>
          </span>
        ))}
      </bdi>
    </code>
  );
}
