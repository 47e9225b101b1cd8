import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';

/** The page's session at the node of this origin, which the window and the shell share. */
export type NodeSession = { url: string; cookie: { name: string; value: string } };

/** What the shell reads of a remote (the node's RemoteView). */
export interface RemoteStand extends Record<'pending' | 'conflicts' | 'refused', number> {
  name: string;
  running: object | null;
  last_run: { error: string | null } | null;
}

/** What the shell reads of the answer to an archive: a line of it (`done` is the node's CarImportView), or a refusal. */
interface ImportAnswer {
  progress?: Record<'entities' | 'total', number>;
  done?: Record<'entities' | 'created' | 'advanced' | 'unchanged' | 'forks', number> & { remarks: string[] };
  error?: string;
  details?: { reason?: string; issues?: { message: string }[] };
}

/** The address in a line such as `{"ready":{"url":"http://127.0.0.1:4747"}}`; null for any other line. */
export function readyUrl(line: string): string | null {
  return /^\{"ready":\{"url":"(https?:\/\/[^"]+)"\}\}$/.exec(line)?.[1] ?? null;
}

/** What ends with `\n` alone: the lines of readline end also at U+2028 and U+2029, which JSON has as they are. */
export async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Exchanges the run's token for a session; the token is then spent, and no page has seen it. */
export async function signIn(url: string, token: string): Promise<NodeSession> {
  const { origin } = new URL(url);
  const answer = await fetch(new URL('/node/session', origin), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ token }),
  });
  const [, name, value] = /^([^=;]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? [];
  if (!answer.ok || !name || !value) throw new Error(`The node did not let its own window in (${answer.status}).`);
  return { url: origin, cookie: { name, value } };
}

/** The remotes of both networks. */
export async function readRemotes(session: NodeSession): Promise<RemoteStand[]> {
  const answer = await fetch(new URL('/node/status', session.url), { headers: headersOf(session) });
  if (!answer.ok) throw new Error(`The node answered ${answer.status}.`);
  const { networks } = (await answer.json()) as { networks: { remotes: RemoteStand[] }[] };
  return networks.flatMap(({ remotes }) => remotes);
}

/** Imports a CAR file, a bag or a crate; null if the node ended first. @throws Error in words why nothing is written */
export async function sendArchive(session: NodeSession, path: string, progress: (share: number) => void) {
  const headers = { ...headersOf(session), 'Content-Type': 'application/octet-stream' };
  // `fetch` would give up after five minutes, and the node may say nothing before everything has been sent.
  const way = `/node/import-car?name=${encodeURIComponent(basename(path))}`;
  const sending = request(new URL(way, session.url), { method: 'POST', headers });
  const archive = createReadStream(path);
  pipeline(archive, sending, () => undefined);
  let answer: IncomingMessage | undefined;
  let line: ImportAnswer = {};
  try {
    [answer] = (await once(sending, 'response')) as [IncomingMessage];
    for (const stream of [sending, answer]) stream.on('error', () => undefined);
    for await (const text of linesOf(answer)) {
      if (text.trim() !== '') line = JSON.parse(text);
      if (line.progress) progress(line.progress.entities / Math.max(1, line.progress.total));
    }
  } catch (error) {
    // An archive that cannot be read ends the request, too.
    const reason = (archive.errored ?? error) as NodeJS.ErrnoException;
    if (answer ? answer.complete : !/^(ECONNRESET|EPIPE)$/.test(`${reason.code}`)) throw reason;
  }
  const { error, details, done = null } = line;
  const why = details?.issues?.map(({ message }) => message).join('; ') ?? details?.reason ?? '';
  if (error !== undefined) throw new Error(error.includes(why) ? error : `${error}: ${why}`);
  return done;
}

/** A write with the session has to say that it comes from the page's origin. */
const headersOf = ({ url, cookie }: NodeSession) => ({ Origin: url, Cookie: `${cookie.name}=${cookie.value}` });
