import type { MessageKey, Texts } from '../messages/translate.ts';

/**
 * What people meet of the node's own sentences who do nothing unusual (its issues have no codes), as `src/server` writes them:
 * `…` stands for what it names, which is `{what}` in the page's text, a second one for `{why}`, a third one for `{then}`.
 */
export const saidByNode = {
  absolute: 'must be an absolute path',
  aboveMissing: '… cannot be made: the folder above it does not exist',
  belowFile: '… would lie below a file: name a folder',
  file: '… is a file: name a folder',
  inData: '… lies in the data folder: name one outside',
  notEmpty: '… is not empty, and nothing is ever overwritten: name a new or an empty folder',
  unfinished: '… has what an interrupted backup or restore has left: empty it first, or name another',
  backupElsewhere: 'A backup is made on the machine of the node: run "archeion backup" there',
  urlParts: 'must be an address without user, query or fragment; the key is given apart',
  urlScheme: 'must be an http or https address',
  urlSelf: 'is this node itself',
  remoteTaken: 'There is a remote … already. Use another name.',
  keyRefused: '… does not accept it: …',
  noEntity: 'there is no entity …',
  conditions: 'must be a JSON list of at most … conditions',
  texts: 'must be a JSON list of at most … texts of … characters',
  exportFetched: 'This export has been fetched already: prepare another.',
  exportStopped: 'The export was stopped.',
  importUndone: 'This import was undone and takes no more files: start another import.',
  importUnread: 'A file of this import could not be read to its end: start another import.',
  // Of a line of a file that is imported.
  cells: 'does not have as many cells (…) as the header has columns (…)',
  columnNameless: 'column … has no name in the header',
  columnTwice: 'the header has the column "…" twice',
  quoteClosed:
    'has more in a cell than what stands in quotes: write each quote within the cell twice ("12"" disc"), or close one that was left open before',
  quoteNowhere:
    'has a quote that is closed nowhere: a cell that begins with one ends with one, and has each of its own twice ("12"" disc")',
  quoteWithin:
    'has a quote in a cell that does not begin with one: put the cell into quotes, and write each of its own twice ("12"" disc")',
  beyond: '… is beyond 2^53-1 and cannot be stored exactly',
  inexact: '… cannot be kept exactly as a number: write it as a text',
  noId: 'a record of kind "…" has no usable id… (a text of 1 to 1,000 characters, or a number)',
  noIdAt: ' at "…"',
  noJson: 'is not JSON: …',
  noObject: 'is not a JSON object',
  notOfKind: '"…" is "…", which is not …',
  kindBoolean: 'yes, no, true, false, 1 or 0',
  kindDate: 'a date as 1901, 1901-03 or 1901-03-04',
  kindJsonExact: 'JSON that can be kept exactly',
  kindNumber: 'a number',
  kindNumberExact: 'a number that can be kept exactly: take it as a text',
  twice: '… is there twice, of which one alone could be kept',
  // Of a job, and in its log.
  commandEnded: 'The command … ended with code ….',
  commandInterrupted: 'The command … was interrupted: the process that runs commands was ended, and it with that.',
  commandKilled: 'The command … was ended by ….',
  commandLate: 'The command … did not end within … s and was stopped.',
  commandNoJson: 'The command … wrote no JSON to stdout: it begins with ….',
  commandSilent: 'The command … wrote nothing to stdout, where its result is expected as JSON.',
  commandStopped: 'The command … was stopped: the time of its job was up.',
  commandTooMuch: 'The command … wrote more than … bytes and was stopped.',
  commandUnstarted: 'The command … could not be started: ….',
  commandUnusable: 'The command … wrote a result that cannot be used: ….',
  jobCompleted: 'Job completed',
  jobFailed: 'Job failed',
  jobHandoff: 'Handoff: …',
  jobLate: 'the processor did not finish before its permissions ended',
  jobSilent: 'the processor wrote no log before its permissions ended (…)',
  jobTaken: 'the processor took it',
  jobUnsent: 'it was not sent',
  messagesLeft: '… more messages are left out.',
  processorElse: 'the processor answered for another job',
  processorFront: 'what stands before the processor answered …',
  processorNoJson: 'the processor answered … with … instead of JSON',
  processorSends: 'the processor answered … instead of taking it: give the address that it leads to',
  // Behind those that begin so, too.
  processorAnswered: 'the processor answered …',
} as const;

/** The same, each as what it is recognised by. */
const forms = Object.entries(saidByNode).map(([name, said]) => ({
  name: name as keyof typeof saidByNode,
  form: new RegExp(`^${said.split('…').map(literally).join('(.*?)')}$`, 's'),
}));

/** A status, and words of the processor's own: what goes on in another way is another sentence. */
const answered = /^\d{3}(?:: .*)?$/s;

/** None of them is longer, with what it names; of what others have written no more is looked through. */
const longest = 2000;

/** One of them in the page's words, and what is in its places; null where it is another one. */
export function inPageWords(said: string): { key: MessageKey; values: Record<'what' | 'why' | 'then', string> } | null {
  if (said.length > longest) return null;
  for (const { name, form } of forms) {
    const [all, what = '', why = '', then = ''] = form.exec(said) ?? [];
    if (all !== undefined && (name !== 'processorAnswered' || answered.test(what)))
      return { key: `said.${name}`, values: { what, why, then } };
  }
  return null;
}

/** A place in a file, and what is said of it. */
const placed = /^(.+), (line|element) (\d+)(?:: (.*))?$/s;
/** What a command had written last, which is in its own words. */
const last = /^(.*) It said last: (.*)$/s;

/** A sentence of the node in the page's words, with what it names in such words, too; null where it is none that they have. */
export function ownWords(t: Texts['t'], said: string): string | null {
  const [, file, unit, line, of] = placed.exec(said) ?? [];
  if (file && line) {
    const place = t(unit === 'line' ? 'said.atLine' : 'said.atElement', { file, line });
    const own = of === undefined ? '' : ownWords(t, of);
    return own === null ? null : [place, own].filter(Boolean).join(': ');
  }
  const [, before, words] = last.exec(said) ?? [];
  if (before && words) {
    const own = ownWords(t, before);
    return own && `${own} ${t('said.last', { words })}`;
  }
  const found = inPageWords(said);
  if (!found) return null;
  const { what, why, then } = found.values;
  const own = (text: string) => ownWords(t, text) ?? text;
  return t(found.key, { what: own(what), why: own(why), then: own(then) });
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
