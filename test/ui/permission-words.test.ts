import { expect, test } from 'vitest';
import { permissionWords } from '../../src/renderer/src/components/permission-words.ts';
import de from '../../src/renderer/src/messages/de.json' with { type: 'json' };
import en from '../../src/renderer/src/messages/en.json' with { type: 'json' };
import { type Messages, textsOf } from '../../src/renderer/src/messages/translate.ts';
import { actions } from '../../src/server/model/actions.ts';

const [english, german] = [textsOf('en', en), textsOf('de', de as Messages)];

test.each([
  ['entity:view', 'read entities', 'Entitäten lesen'],
  ['file:reupload', 'replace the bytes of files', 'Dateien neu hochladen'],
  ['*:update', 'change anything', 'alles ändern'],
  ['klados:*', 'everything with kladoi', 'Kladoi: alles'],
])('%s is to %s', (action, inEnglish, inGerman) => {
  expect(permissionWords(english.t, action)).toBe(inEnglish);
  expect(permissionWords(german.t, action)).toBe(inGerman);
});

test('what has no words keeps its name', () => {
  for (const action of ['query:execute', 'entity', '', '__proto__:view', 'entity:toString'])
    expect(permissionWords(english.t, action), action).toBeNull();
});

test('what processors need most has words', () => {
  const wordless = actions.filter((action) => permissionWords(english.t, action) === null);
  expect(wordless.filter((action) => /^(entity|file|collection|agent|klados|rhiza):/.test(action))).toEqual([
    'entity:tip',
  ]);
});
