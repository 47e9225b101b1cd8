import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

// What the nodes of this process have said, and which credentials they were shown: none of these may stand in any of that.

const said: string[] = [];
const credentials = new Set<string>();

/** Shorter ones stand in texts by chance. */
const leastLength = 20;

/** A line of a log, or an error's body. */
export function noteSaid(text: string): void {
  said.push(text);
}

export function noteCredential(text: string | undefined): void {
  if (text !== undefined && text.length >= leastLength) credentials.add(text);
}

/** Those of the credentials that were said, each with the text that it stands in. */
export function leaksIn(texts: string[], shown: Iterable<string>): { credential: string; text: string }[] {
  const all = texts.join('\n');
  return [...shown]
    .filter((credential) => all.includes(credential))
    .map((credential) => ({ credential, text: texts.find((text) => text.includes(credential)) ?? '' }));
}

export function leaks(): { credential: string; text: string }[] {
  return leaksIn(said, credentials);
}

/** How much there is to look through. */
export function spoken(): { texts: number; credentials: number } {
  return { texts: said.length, credentials: credentials.size };
}

// Node itself tells of each request, before any code of ours has seen it.
subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { request: IncomingMessage }).request;
  noteCredential(/^\S+ +(\S+)$/.exec(headers.authorization ?? '')?.[1]);
  for (const pair of headers.cookie?.split(';') ?? []) noteCredential(pair.slice(pair.indexOf('=') + 1).trim());
  noteCredential(headers['x-alpha-secret']?.toString());
});
