import type { MessageKey } from '../messages/translate.ts';

/**
 * What people meet of the node's own sentences who do nothing unusual (its issues have no codes), as `src/server` writes them:
 * `…` stands for what it names, which is `{what}` in the page's text, and a second one for `{why}`.
 */
export const saidByNode = {
  absolute: 'must be an absolute path',
  aboveMissing: '… cannot be made: the folder above it does not exist',
  belowFile: '… would lie below a file: name a folder',
  file: '… is a file: name a folder',
  inData: '… lies in the data folder: name one outside',
  notEmpty: '… is not empty, and nothing is ever overwritten: name a new or an empty folder',
  unfinished: '… has what an interrupted backup or restore has left: empty it first, or name another',
  urlParts: 'must be an address without user, query or fragment; the key is given apart',
  urlScheme: 'must be an http or https address',
  urlSelf: 'is this node itself',
  remoteTaken: 'There is a remote … already. Use another name.',
  keyRefused: '… does not accept it: …',
  noEntity: 'there is no entity …',
} as const;

/** The same, each as what it is recognised by. */
const forms = Object.entries(saidByNode).map(([name, said]) => ({
  name: name as keyof typeof saidByNode,
  form: new RegExp(`^${said.split('…').map(literally).join('(.+?)')}$`, 's'),
}));

/** One of them in the page's words, and what is in its places; null where it is another one. */
export function inPageWords(said: string): { key: MessageKey; values: { what: string; why: string } } | null {
  for (const { name, form } of forms) {
    const [all, what = '', why = ''] = form.exec(said) ?? [];
    if (all !== undefined) return { key: `said.${name}`, values: { what, why } };
  }
  return null;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
