import { type ReactNode, useEffect } from 'react';

interface PageHeadProps {
  /** Also what the browser shows of this screen. */
  title: string;
  /** Where the screen is in the whole: links, above the title. */
  above?: ReactNode;
  /** In a line below. */
  about?: ReactNode;
  actions?: ReactNode;
}

/** The head of a screen: where one is, and what can be done. */
export function PageHead({ title, above, about, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title.slice(0, 200)} · Archeion`;
  }, [title]);
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface px-5 pt-3 pb-3">
      <div className="min-w-48 flex-1 [overflow-wrap:anywhere]">
        {above && <div className="flex flex-wrap items-center gap-1 text-xs text-quiet *:max-w-full">{above}</div>}
        <h1 className="line-clamp-2 text-lg print:line-clamp-none leading-6 font-semibold break-words" dir="auto">
          {title}
        </h1>
        {about && <div className="text-quiet">{about}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
    </header>
  );
}
