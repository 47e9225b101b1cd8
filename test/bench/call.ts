import type { Node } from './processes.ts';

/** A request that must succeed, as JSON: `call(node, 'POST /entities', body)`. */
export async function call<T>(node: Node, line: string, body?: object): Promise<T> {
  return JSON.parse((await answered(node, line, body)).toString()) as T;
}

/** The same until its last byte is here: what the node takes, without what reading a long answer takes a client. */
export async function answered(node: Node, line: string, body?: object): Promise<Buffer> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(`${node.url}${path}`, {
    method,
    headers: node.headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(`${line} was answered ${answer.status}: ${bytes.subarray(0, 300)}`);
  return bytes;
}
