import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';

const help = (...names: string[]) => commandLine('nowhere', ['help', ...names]);

test('help says what all commands, a group or one command of it do', async () => {
  expect((await help()).out).toMatch(/^Usage: archeion \[options\] \[command\][\s\S]* help \[command\.\.\.\] /);
  expect((await help('search')).out).toMatch(/^Usage: archeion search /);
  expect((await help('remote')).out).toMatch(/^Usage: archeion remote /);
  const { code, out, err } = await help('remote', 'add');
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe((await commandLine('nowhere', ['remote', 'add', '--help'])).out);
});

test('every group has it, too', async () => {
  for (const [group = '', name = ''] of [
    ['remote', 'add'],
    ['conflicts', 'show'],
  ])
    expect(await commandLine('nowhere', [group, 'help', name])).toEqual(await help(group, name));
});

test('the help of a command has the options that every command takes', async () => {
  for (const names of [['search'], ['remote'], ['remote', 'add']])
    expect((await help(...names)).out).toMatch(/^ {2}--data <dir> [\s\S]*^ {2}--network <name> /m);
});

test('a command that is none is said to be none', async () => {
  for (const names of [['nope'], ['remote', 'nope'], ['search', 'add']])
    expect(await help(...names)).toEqual({
      code: 2,
      out: '',
      err: `archeion: There is no command "${names.join(' ')}": "archeion help" lists them all.`,
    });
});
