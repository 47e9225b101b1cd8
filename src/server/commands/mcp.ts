import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { z } from 'zod';
import { fromJson } from '../model/from-json.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { FailureError, RefusedError } from './parts/failure.ts';
import { linesOf } from './parts/json-lines.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

/** Messages that wait for their answers at once, and bytes of one that is read: far more than the node takes, for its id. */
const [maxAtOnce, maxMessage] = [8, 32 * 1024 * 1024];

/** `archeion mcp`: the node's tools on stdin and stdout, for programs that speak the Model Context Protocol. */
export function addMcp(program: Command, shell: Shell): void {
  program
    .command('mcp')
    .description('serve the tools of the node on stdin and stdout, to a program that speaks the Model Context Protocol')
    .action(async (_options, command: Command) => {
      if (shell.input === undefined) throw new FailureError('There is no input to read messages from.');
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>(), { network: 'made' });
      const input = addAbortSignal(shell.stopped, shell.input());
      try {
        await serve(input, client, (message) => shell.out(JSON.stringify(message)));
      } catch (error) {
        if (!shell.stopped.aborted) throw error;
      }
    });
}

/** Messages are lines. The node answers each by itself, so that one does not wait for another. */
async function serve(input: AsyncIterable<Uint8Array>, client: NodeClient, out: (message: object) => void) {
  const { default: PQueue } = await import('p-queue');
  const waiting = new PQueue({ concurrency: maxAtOnce });
  for await (const line of linesOf(input, maxMessage)) {
    const message = line === null ? null : messageOf(line);
    if (line === null) out(errorOf(null, -32603, 'The message is too large: the node takes at most 256 KiB.'));
    else if (message) void waiting.add(() => pass(client, message, out));
    else out(errorOf(null, -32700, 'Parse error: a message is one line of JSON-RPC.'));
    await waiting.onSizeLessThan(maxAtOnce);
  }
  await waiting.onIdle();
}

/** A message, or several at once (protocol version 2025-03-26); whether the node takes it is for the node to say. */
function messageOf(line: string): object | null {
  try {
    const value: unknown = fromJson(line);
    const isMessage = (one: unknown) => typeof one === 'object' && one !== null && 'jsonrpc' in one;
    return isMessage(value) || (Array.isArray(value) && value.length > 0 && value.every(isMessage))
      ? (value as object)
      : null;
  } catch {
    return null;
  }
}

async function pass(client: NodeClient, message: object, out: (message: object) => void): Promise<void> {
  try {
    const answer = await client.ask<object | undefined>('POST', '/mcp', message);
    if (answer !== undefined) out(answer);
  } catch (error) {
    // What asks for nothing gets no answer.
    const ids = [message].flat().flatMap((one) => ('id' in one ? [one.id] : []));
    const { code, message: reason } = reasonOf(error);
    const failed = ids.map((id) => errorOf(id, code, reason));
    const [first] = failed;
    if (first) out(Array.isArray(message) ? failed : first);
  }
}

/** What the node says of a message that it refuses as a whole, else why it did not answer. */
function reasonOf(error: unknown): { code: number; message: string } {
  const refusal = error instanceof RefusedError ? z.object({ error: rpcError }).safeParse(error.body) : null;
  if (refusal?.success) return refusal.data.error;
  return { code: -32603, message: error instanceof Error ? error.message : String(error) };
}

const rpcError = z.object({ code: z.number(), message: z.string() });

function errorOf(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
