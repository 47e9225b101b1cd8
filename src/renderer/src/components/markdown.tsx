import { Link } from '@tanstack/react-router';
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** So much of a text is shown: more would hold up the page. */
const most = 100_000;

/**
 * What a markdown text looks like. HTML in it stays text, other addresses than those of the web lead nowhere, pictures
 * are links. `service` is the scheme of inline references.
 */
export function Markdown({ text, service }: { text: string; service: string }) {
  const scheme = `${service}:`;
  return (
    <div className="prose">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        urlTransform={(url) => (url.startsWith(scheme) ? url : defaultUrlTransform(url))}
        components={{
          a: ({ href = '', children }) =>
            href.startsWith(scheme) ? (
              <Link to="/entities/$id" params={{ id: href.slice(scheme.length) }}>
                {children}
              </Link>
            ) : (
              <a href={href} target="_blank" rel="noreferrer">
                {children}
              </a>
            ),
          img: ({ src, alt }) => (
            <a href={typeof src === 'string' ? src : ''} target="_blank" rel="noreferrer">
              {alt || (typeof src === 'string' ? src : '')}
            </a>
          ),
        }}
      >
        {text.slice(0, most)}
      </ReactMarkdown>
    </div>
  );
}
