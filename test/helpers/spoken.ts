import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

// What the nodes of this process have said, and which credentials they were shown: none of these may stand in any of that.

const said: string[] = [];
const credentials = new Set<string>();

/** A key, a token, a session: whatever else tests send in their places may stand in texts by right. */
const credential = /^(?:[a-z]{2}_[0-9a-f]{32,64}|eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]{43})$/;
/** A shorter setting stands in texts by chance. */
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

/** One process runs the tests of many files: each begins with nothing. */
export function forgetSaid(): void {
  said.length = 0;
  credentials.clear();
}

/** How much there is to look through. */
export function spoken(): { texts: number; credentials: number } {
  return { texts: said.length, credentials: credentials.size };
}

// Node itself tells of each request, before any code of ours has seen it.
subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { request: IncomingMessage }).request;
  const cookies = headers.cookie?.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim()) ?? [];
  for (const text of [/^\S+ +(\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '', ...cookies])
    if (credential.test(text)) noteCredential(text);
});
