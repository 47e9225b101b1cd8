import { expect, it } from 'vitest';
import { differences, type Names } from './answers.ts';

const http = (body: string, status = '200 OK'): string => `HTTP/1.1 ${status}\r\nETag: "1"\r\nDate: now\r\n\r\n${body}`;

it('takes what a page leaves open, and learns its names', () => {
  const names: Names = new Map();
  const shown =
    'HTTP/1.1 200 OK\nETag: "1"\n\n{"id": "$WORK", "list": [1, ...], "at": "20…", "in": {"a": true, ...}}\n';
  const answer = http('{"id":"01A","list":[1,2],"at":"2026","in":{"a":true,"b":1}}');
  expect(differences('http', shown, answer, names)).toEqual([]);
  expect(names).toEqual(new Map([['WORK', '01A']]));
  expect(differences('text', '$WORK  is $OTHER\n…\nend\n', '01A is  x\none\ntwo\nend\n', names)).toEqual([]);
  expect(names.get('OTHER')).toBe('x');
});

it.each([
  ['another status', http('{}', '404 Not Found'), 'HTTP/1.1 200 OK\n\n{}'],
  ['a header that is not there', http('{}'), 'HTTP/1.1 200 OK\nETag: "2"\n\n{}'],
  ['another value', http('{"a":1}'), 'HTTP/1.1 200 OK\n\n{"a": 2}'],
  ['another kind of value', http('{"a":"1"}'), 'HTTP/1.1 200 OK\n\n{"a": 1}'],
  ['a member that is not there', http('{}'), 'HTTP/1.1 200 OK\n\n{"a": 1, ...}'],
  ['a member that is not shown', http('{"a":1,"b":2}'), 'HTTP/1.1 200 OK\n\n{"a": 1}'],
  ['an item that is not shown', http('{"a":[1,2]}'), 'HTTP/1.1 200 OK\n\n{"a": [1]}'],
  ['a name that stood for something else', http('{"a":"01B"}'), 'HTTP/1.1 200 OK\n\n{"a": "$WORK"}'],
  ['a body where none is shown', http('{}'), 'HTTP/1.1 200 OK'],
])('finds %s', (_what, answer, shown) => {
  expect(differences('http', shown, answer, new Map([['WORK', '01A']]))).toHaveLength(1);
});

it('finds a line that is not there', () => {
  expect(differences('text', 'one\ntwo\n', 'one\nthree\n', new Map())).toHaveLength(1);
});
