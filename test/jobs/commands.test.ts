import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { UnavailableError } from '../../src/server/errors.ts';
import { AllowedCommands } from '../../src/server/jobs/local/allowed-commands.ts';
import { resultOf } from '../../src/server/jobs/local/command-result.ts';
import { type LocalCommand, parseCommands } from '../../src/server/jobs/local/command-settings.ts';
import type { CommandOutcome } from '../../src/server/jobs/local/run-command.ts';
import { failureOf, NodeCallError } from '../../src/server/kit/job-error.ts';
import { identityFile } from '../../src/server/store/accounts/identity-schema.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archeion-commands-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the allow-list', () => {
  test('has limits for what it does not say', () => {
    const file = { commands: { ocr: { run: ['/usr/bin/ocr', '--json'], seconds: 5 } } };
    expect(parseCommands(JSON.stringify(file), 'f').get('ocr')).toEqual({
      name: 'ocr',
      run: ['/usr/bin/ocr', '--json'],
      folder: null,
      environment: ['PATH', 'LANG', 'LC_ALL', 'TZ'],
      timeoutMs: 5000,
      maxOutputBytes: 16 * 2 ** 20,
      maxInputBytes: 4096 * 2 ** 20,
      atOnce: 2,
    });
  });

  test.each([
    ['{', 'is not JSON'],
    ['[]', 'cannot be used'],
    ['{"commands":{"a":{"run":"rm -rf /"}}}', 'commands.a.run'],
    ['{"commands":{"a":{"run":[]}}}', 'commands.a.run'],
    ['{"commands":{"a":{"run":["x\\u0000y"]}}}', 'zero character'],
    ['{"commands":{"A b":{"run":["x"]}}}', 'short name'],
    ['{"commands":{"a":{"run":["x"],"shell":true}}}', 'shell'],
    ['{"commands":{"a":{"run":["x"],"folder":"relative"}}}', 'absolute path'],
    ['{"commands":{"a":{"run":["x"],"environment":["ARCHEION_JWT_SECRET"]}}}', 'secrets'],
    ['{"commands":{"a":{"run":["x"],"seconds":0}}}', 'commands.a.seconds'],
  ])('refuses %s', (text, words) => {
    expect(() => parseCommands(text, 'the file')).toThrow(words);
  });

  test('is read again when it changes, and not at all where others can write it', async () => {
    const path = join(folder, 'processors.json');
    const allowed = new AllowedCommands(path);
    expect(await allowed.find('a')).toBeUndefined();
    await writeFile(path, '{"commands":{"a":{"run":["x"]}}}', { mode: 0o600 });
    expect((await allowed.find('a'))?.run).toEqual(['x']);
    await writeFile(path, '{"commands":{"b":{"run":["other"]}}}');
    expect(await allowed.find('a')).toBeUndefined();
    await chmod(path, 0o666);
    await expect(allowed.find('b')).rejects.toThrow('chmod go-w');
  });

  test('says so where it cannot be read', async () => {
    const path = join(folder, 'processors.json');
    await mkdir(path);
    await expect(new AllowedCommands(path).all()).rejects.toThrow(UnavailableError);
  });
});

describe('archeion processor', () => {
  const told: string[] = [];
  const complaints: string[] = [];
  const settings: Record<string, string> = {};
  // Where it is, there is a node.
  beforeEach(() => writeFile(join(folder, identityFile), ''));
  const archeion = (...args: string[]) => {
    told.length = 0;
    complaints.length = 0;
    return run(args, {
      env: { ARCHEION_DATA: folder, ...settings },
      pid: 1,
      dataFolder: folder,
      ui: null,
      self: ['/opt/node', '/opt/archeion.mjs'],
      out: (line) => void told.push(line),
      err: (line) => void complaints.push(line),
      terminal: null,
      stopped: new AbortController().signal,
    });
  };
  const file = async () => JSON.parse(await readFile(join(folder, 'processors.json'), 'utf8'));

  test('allows one that comes along, and one of somebody else', async () => {
    expect(await archeion('processor', 'allow', 'fixity')).toBe(0);
    const own = ['processor', 'allow', 'ocr', '--seconds', '60', '--env', 'PATH', 'HOME', '--', '/bin/ocr', '--fast'];
    expect(await archeion(...own)).toBe(0);
    expect(await file()).toEqual({
      commands: {
        fixity: { run: ['/opt/node', '/opt/archeion.mjs', 'processor', 'run', 'fixity'], environment: [] },
        ocr: { run: ['/bin/ocr', '--fast'], environment: ['PATH', 'HOME'], seconds: 60 },
      },
    });
    expect((await stat(join(folder, 'processors.json'))).mode & 0o777).toBe(0o600);
    expect(await archeion('processor', 'list', '--json')).toBe(0);
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      allowed: [{ name: 'fixity', endpoint: 'exec:fixity' }, { name: 'ocr' }],
    });
    expect(await archeion('processor', 'list')).toBe(0);
    expect(told.join('\n')).toMatch(/allowed {2}exec:ocr {2}\/bin\/ocr --fast[\s\S]*shipped {2}extract-text/);
    expect(await archeion('processor', 'forbid', 'ocr')).toBe(0);
    expect(Object.keys((await file()).commands)).toEqual(['fixity']);
  });

  test('says which folder and program of a command are not there', async () => {
    const lacks = async (...args: string[]) => {
      expect(await archeion('processor', 'allow', 'own', ...args)).toBe(0);
      return complaints;
    };
    await writeFile(join(folder, 'tool'), '', { mode: 0o755 });
    await writeFile(join(folder, 'text'), '', { mode: 0o644 });
    const program = (name: string) => expect.stringMatching(new RegExp(`^No program ${name} is found here: `));
    expect(await lacks('--', join(folder, 'tool'))).toEqual([]);
    expect(await lacks('--folder', folder, '--', './tool')).toEqual([]);
    expect(await lacks('--', './tool')).toEqual([program('./tool')]);
    expect(await lacks('--', join(folder, 'text'))).toEqual([program(join(folder, 'text'))]);
    settings.PATH = `/nowhere:${folder}`;
    expect(await lacks('--', 'tool')).toEqual([]);
    expect(await lacks('--env', 'HOME', '--', 'tool')).toEqual([program('tool')]);
    delete settings.PATH;
    const nowhere = join(folder, 'nowhere');
    expect(await lacks('--folder', nowhere, '--', join(folder, 'tool'))).toEqual([
      `There is no folder ${nowhere}: no job can run until it is there.`,
    ]);
  });

  test('keeps all that are allowed at once, and says who is in the way of one', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const codes = await Promise.all(names.map((name) => archeion('processor', 'allow', name, '--', '/bin/x')));
    expect(codes).toEqual(names.map(() => 0));
    expect(Object.keys((await file()).commands).sort()).toEqual(names);
    expect((await readdir(folder)).sort()).toEqual([identityFile, 'processors.json']);
    const left = join(folder, 'processors.json.new');
    await writeFile(left, '');
    expect(await archeion('processor', 'forbid', 'a')).toBe(1);
    expect(complaints).toEqual([expect.stringContaining('try again in a minute')]);
    const before = new Date(Date.now() - 120_000);
    await utimes(left, before, before);
    expect(await archeion('processor', 'forbid', 'a')).toBe(0);
    expect(Object.keys((await file()).commands).sort()).toEqual(names.slice(1));
  });

  test.runIf(process.getuid?.() === 0)('gives what root allows to whom the data folder belongs', async () => {
    await chown(folder, 12345, 12346);
    expect(await archeion('processor', 'allow', 'fixity')).toBe(0);
    expect(await stat(join(folder, 'processors.json'))).toMatchObject({ uid: 12345, gid: 12346 });
  });

  test.each([
    [['allow', 'unheard-of'], 'give the command after "--"'],
    [['allow', 'Bad Name', '--', 'x'], 'a-z, 0-9'],
    [['allow', 'a', '--seconds', 'many', '--', 'x'], '--seconds'],
    [['forbid', 'a'], 'No command a is allowed'],
    [['forbid', 'constructor'], 'No command constructor is allowed'],
    [['--json', 'run', 'fixity'], ''],
  ])('refuses %j', async (args, words) => {
    expect(await archeion('processor', ...args)).toBe(2);
    expect(complaints.join('\n')).toContain(words);
  });

  test('refuses a limit that the file may not have, and leaves the file alone', async () => {
    expect(await archeion('processor', 'allow', 'a', '--seconds', '0', '--', 'x')).toBe(2);
    expect(complaints.join()).toContain('What is given cannot be used. commands.a.seconds');
    await expect(file()).rejects.toThrow('ENOENT');
  });

  test('makes no list where there is no node, but for one that a setting names', async () => {
    const data = join(folder, 'mistyped');
    for (const args of [
      ['allow', 'fixity'],
      ['forbid', 'fixity'],
    ]) {
      expect(await archeion('processor', ...args, '--data', data)).toBe(2);
      expect(complaints).toEqual([expect.stringContaining(`There is no node in ${data}: name its folder with --data`)]);
    }
    expect(await readdir(folder)).toEqual([identityFile]);
    settings.ARCHEION_PROCESSORS = join(folder, 'settings', 'processors.json');
    expect(await archeion('processor', 'allow', 'fixity', '--data', data)).toBe(0);
    delete settings.ARCHEION_PROCESSORS;
    expect((await readdir(folder)).sort()).toEqual([identityFile, 'settings']);
  });

  test('says in a sentence that the list cannot be written', async () => {
    const disk = join(folder, 'on-a-disk');
    await symlink(join(folder, 'not-mounted', 'settings'), disk);
    settings.ARCHEION_PROCESSORS = join(disk, 'processors.json');
    expect(await archeion('processor', 'allow', 'fixity')).toBe(1);
    delete settings.ARCHEION_PROCESSORS;
    expect(complaints).toEqual([expect.stringMatching(/^archeion: The file system reported an error: .*$/)]);
  });

  test('leaves a file alone that is no UTF-8 text, of which it would lose signs', async () => {
    const bytes = Buffer.from('{"commands": {"ocr": {"run": ["/bin/ocr", "f\xfcr"]}}}', 'latin1');
    await writeFile(join(folder, 'processors.json'), bytes);
    expect(await archeion('processor', 'allow', 'fixity')).toBe(1);
    expect(complaints.join()).toContain('processors.json is not UTF-8 text');
    expect(await readFile(join(folder, 'processors.json'))).toEqual(bytes);
    await expect(new AllowedCommands(join(folder, 'processors.json')).all()).rejects.toThrow('is not UTF-8 text');
  });

  test('leaves a file alone in which a command stands twice, of which it would lose one', async () => {
    const text = '{"commands": {"ocr": {"run": ["/a"]}, "ocr": {"run": ["/b"]}}}';
    await writeFile(join(folder, 'processors.json'), text);
    expect(await archeion('processor', 'allow', 'fixity')).toBe(1);
    expect(complaints.join()).toContain('commands.ocr: is there twice');
    expect(await readFile(join(folder, 'processors.json'), 'utf8')).toBe(text);
  });
});

describe("a command's end", () => {
  const command = { name: 'ocr', timeoutMs: 2000, maxOutputBytes: 100 } as LocalCommand;
  const exited = (output: string, more: object = {}): CommandOutcome => ({
    ...{ ended: 'exited', code: 0, signal: null, errors: '', output: Buffer.from(output) },
    ...more,
  });
  const failure = (outcome: CommandOutcome) => {
    try {
      return resultOf(outcome, command);
    } catch (error) {
      return failureOf(error);
    }
  };
  const id = '01JQZ3M4N5P6Q7R8S9T0V1W2X3';

  test('is its result', () => {
    const reply = { outputs: [id, { entity_id: id, kind: 'a' }, { type: 'document', properties: { a: 1 } }] };
    expect(resultOf(exited(JSON.stringify(reply)), command)).toEqual({
      outputs: [
        id,
        { entity_id: id, kind: 'a' },
        { type: 'document', properties: { a: 1 }, relationships: [], content: [], route: {} },
      ],
      output_properties: {},
      records: [],
      updates: [],
      messages: [],
    });
    expect(resultOf(exited('{}'), command).outputs).toEqual([]);
  });

  test('may have numbers that cannot be kept where nobody keeps them: for routes', () => {
    const reply = `{"outputs":[{"entity_id":"${id}","mtime_ns":1732406400000000001},
      {"type":"x","route":{"inode":9223372036854775807,"part":0.12345678901234567890}}],
      "records":[{"type":"x","route":{"inode":9223372036854775807}}], "output_properties":{"mtime_ns":1732406400000000001}}`;
    expect(failure(exited(reply))).toMatchObject({
      outputs: [
        { entity_id: id, mtime_ns: 1732406400000000000 },
        { route: { inode: 2 ** 63, part: 0.12345678901234568 } },
      ],
      output_properties: { mtime_ns: 1732406400000000000 },
    });
  });

  test('is the error that it states, whatever its code', () => {
    const error = { code: 'RATE_LIMITED', message: 'later', retryable: true };
    expect(failure(exited(JSON.stringify({ error })))).toEqual(error);
    expect(failure(exited(JSON.stringify({ error }), { code: 3 }))).toEqual(error);
  });

  test.each<[string, unknown, number, object]>([
    ['a text', 'it failed', 0, { code: 'PROCESSING_ERROR', message: 'it failed', retryable: false }],
    ['a text, and a code', 'it failed', 1, { code: 'PROCESSING_ERROR', message: 'it failed', retryable: true }],
    ['a number for its code', { code: 42, message: 'm' }, 1, { code: '42', message: 'm', retryable: false }],
    [
      'a word for whether it may be run again',
      { message: 'm', retryable: 'no' },
      0,
      { message: 'm', retryable: false },
    ],
    ['many words', { code: 'X', message: 'm'.repeat(4001) }, 0, { code: 'X', message: 'm'.repeat(2000) }],
    ['a long code', { code: 'X'.repeat(101), message: 'm' }, 0, { code: 'X'.repeat(100), message: 'm' }],
    [
      'no words',
      { reason: 'dark' },
      ...([0, { code: 'PROCESSING_ERROR', message: expect.stringContaining('{"reason":"dark"}') }] as const),
    ],
    ['nothing more', true, 0, { code: 'PROCESSING_ERROR', message: expect.stringContaining('reported an error') }],
    ['an empty one', '', 0, { code: 'PROCESSING_ERROR', message: expect.stringContaining('reported an error') }],
  ])('is the error that it states in another form: %s', (_, error, code, expected) => {
    expect(failure(exited(JSON.stringify({ outputs: [], error }), { code }))).toMatchObject(expected);
  });

  test('keeps members of every name', () => {
    const properties = '{"__proto__":{"a":1},"constructor":[{"__proto__":2}]}';
    const text = `{"outputs":[{"type":"x","properties":${properties}}],"updates":[{"entity_id":"${id}","properties":${properties}}]}`;
    const result = resultOf(exited(text), command);
    const [made] = result.outputs as { properties: object }[];
    expect([made, result.updates[0]].map((one) => JSON.stringify(one?.properties))).toEqual([properties, properties]);
  });

  test('is no error where it states none', () => {
    for (const error of [null, false])
      expect(failure(exited(JSON.stringify({ outputs: [id], error })))).toMatchObject({ outputs: [id] });
  });

  test.each<[string, CommandOutcome, string, boolean, string]>([
    ['nothing', exited(''), 'INVALID_OUTPUT', false, 'wrote nothing to stdout'],
    ['HTML', exited('<!doctype html><p>Bad gateway'), 'INVALID_OUTPUT', false, 'begins with "<!doctype html>'],
    ['no result', exited('{"outputs":["x"]}'), 'INVALID_OUTPUT', false, 'outputs.0'],
    [
      'a name twice',
      exited(`{"outputs":["${id}"],"records":[{"type":"x","route":{"a":1,"a":2},"properties":{"a":1,"a":2}}]}`),
      ...(['INVALID_OUTPUT', false, 'records.0.properties.a: is there twice'] as const),
    ],
    [
      'a decimal that would be rounded',
      exited(`{"updates":[{"entity_id":"${id}","properties":{"a":0.12345678901234567890}}]}`),
      ...(['INVALID_OUTPUT', false, 'updates.0.properties.a: cannot be kept exactly'] as const),
    ],
    [
      'a deep one',
      exited(`{"outputs":[{"type":"x","properties":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}]}`),
      ...(['INVALID_OUTPUT', false, 'nested too deeply'] as const),
    ],
    [
      'a number that cannot be kept',
      exited('{"records":[{"type":"x","properties":{"size":9223372036854775807}}]}'),
      ...(['INVALID_OUTPUT', false, 'records.0.properties.size: is beyond 2^53-1'] as const),
    ],
    [
      'one in a link of an output',
      exited(
        '{"outputs":[{"type":"x","relationships":[{"predicate":"p","peer":"ID","properties":{"n":9223372036854775807}}]}]}'.replace(
          'ID',
          id,
        ),
      ),
      ...(['INVALID_OUTPUT', false, 'outputs.0.relationships.0.properties.n: is beyond 2^53-1'] as const),
    ],
    ['a list', exited('[]'), 'INVALID_OUTPUT', false, 'cannot be used'],
    [
      'a failure',
      exited('', { code: 1, errors: 'no space' }),
      'PROCESSING_ERROR',
      true,
      'code 1. It said last: no space',
    ],
    ['a signal', exited('', { code: null, signal: 'SIGSEGV' }), 'PROCESSING_ERROR', true, 'SIGSEGV'],
    [
      'its time',
      { ended: 'timed-out', errors: 'step 3' },
      'TIMEOUT',
      true,
      'within 2 s and was stopped. It said last: step 3',
    ],
    ['too much', { ended: 'too-much-output', errors: '' }, 'OUTPUT_TOO_LARGE', false, 'more than 100 bytes'],
    ['an interruption', { ended: 'interrupted' }, 'TEMPORARY_FAILURE', true, 'was interrupted'],
    ['not there', { ended: 'not-started', reason: 'ENOENT' }, 'SERVICE_UNAVAILABLE', true, 'could not be started'],
    [
      'a failure with half a character in what it states',
      exited('{"error":{"code":"A\\ud83c","message":"m\\ud83c"}}'),
      ...(['A\ufffd', false, 'm\ufffd'] as const),
    ],
    [
      'a failure with a character on the cut',
      exited('', { code: 1, errors: `${'🌍'.repeat(600)}!` }),
      ...(['PROCESSING_ERROR', true, `It said last: ${'🌍'.repeat(499)}!`] as const),
    ],
  ])('after %s is an error of the job', (_, outcome, code, retryable, words) => {
    expect(failure(outcome)).toMatchObject({ code, message: expect.stringContaining(words), retryable });
  });
});

test('a failure says nothing of where files lie, also where the node says what its system said', () => {
  const said = (where: string) =>
    `The file system reported an error: EACCES: permission denied${where}. Give it the right.`;
  const error = new NodeCallError(503, said(", rename '/srv/ada/a' -> '/srv/ada/b'"));
  expect(failureOf(error).message).toBe(said(''));
});
