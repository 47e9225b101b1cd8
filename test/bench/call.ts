import type { Node } from './processes.ts';

/** A request that must succeed, as JSON: `call(node, 'POST /entities', body)`. */
export async function call<T>(node: Node, line: string, body?: object): Promise<T> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(`${node.url}${path}`, {
    method,
    headers: node.headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${line} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}
