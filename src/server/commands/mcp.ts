import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { type NodeClient, openClient } from './client.ts';
import { FailureError } from './failure.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** Messages that wait for their answers at once, and bytes of one message. */
const [maxAtOnce, maxMessage] = [8, 32 * 1024 * 1024];

/** `archeion mcp`: the node's tools on stdin and stdout, for programs that speak the Model Context Protocol. */
export function addMcp(program: Command, shell: Shell): void {
  program
    .command('mcp')
    .description('serve the tools of the node on stdin and stdout, to a program that speaks the Model Context Protocol')
    .action(async (_options, command: Command) => {
      if (shell.input === undefined) throw new FailureError('There is no input to read messages from.');
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>());
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
  const [{ ReadBuffer }, { default: PQueue }] = await Promise.all([
    import('@modelcontextprotocol/sdk/shared/stdio.js'),
    import('p-queue'),
  ]);
  const waiting = new PQueue({ concurrency: maxAtOnce });
  const buffer = new ReadBuffer({ maxBufferSize: maxMessage });
  for await (const chunk of input) {
    buffer.append(Buffer.from(chunk));
    for (let more = true; more; ) {
      try {
        const message = buffer.readMessage();
        more = message !== null;
        if (message !== null) void waiting.add(() => pass(client, message, out));
      } catch {
        out(errorOf(null, -32700, 'Parse error: a message is one line of JSON-RPC.'));
      }
    }
    await waiting.onSizeLessThan(maxAtOnce);
  }
  await waiting.onIdle();
}

async function pass(client: NodeClient, message: object, out: (message: object) => void): Promise<void> {
  const id = 'id' in message ? message.id : undefined;
  try {
    const answer = await client.ask<object | undefined>('POST', '/mcp', message);
    if (answer !== undefined) out(answer);
  } catch (error) {
    // What asks for nothing gets no answer.
    if (id !== undefined) out(errorOf(id, -32603, error instanceof Error ? error.message : String(error)));
  }
}

function errorOf(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
