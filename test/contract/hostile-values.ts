// JSON texts of values that a client may send for a free object.

/** JSON text that deep. */
const deep = (depth: number, list = false): string =>
  list ? `{"a":${'['.repeat(depth)}1${']'.repeat(depth)}}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Odd, and stored without a change. */
export const odd: [string, string][] = [
  ['__proto__', '{"__proto__":{"polluted":true}}'],
  ['__proto__ further down', '{"a":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}'],
  ['__proto__ that is no object', '{"__proto__":null,"a":{"__proto__":[1]}}'],
  [
    'names that every object inherits',
    '{"constructor":1,"toString":"s","hasOwnProperty":{"a":1},"valueOf":null,"__defineGetter__":[],"toJSON":1,"then":2}',
  ],
  ['names of lists', '{"length":5,"0":"a","-1":"b","push":1}'],
  ['empty names', '{"":"empty","a":{"":{"":[]}}}'],
  ['a name of 100,000 characters', `{"${'k'.repeat(100_000)}":1}`],
  ['NUL', '{"a\\u0000b":"x\\u0000y\\u0000","\\u0000":"\\u0000"}'],
  [
    'every control character',
    `{"c":"${Array.from({ length: 32 }, (_, i) => `\\u00${i.toString(16).padStart(2, '0')}`).join('')}\\u007f"}`,
  ],
  ['characters beyond sixteen bits', '{"😀":"\\ud83d\\ude00 \u{10ffff}","é":"e\\u0301"}'],
  ['what is no character', '{"a":"\\uffff\\ufffe\\ufeff"}'],
  [
    'links of dag-json',
    '{"a":{"/":"bafyreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"b":{"/":{"bytes":"AA"}},"/":{}}',
  ],
  [
    'numbers at the border',
    '{"a":[9007199254740991,-9007199254740991,0,0.1,5e-324,1.7976931348623157e-10,123456.789e-3]}',
  ],
  ['190 levels', deep(190)],
  ['190 levels of lists', deep(190, true)],
  ['empty things', '{"a":{},"b":[],"c":"","d":null,"e":[[],{}]}'],
  [
    'what other programs would take for theirs',
    `{"a":"'; DROP TABLE entity; --","b":"{{7*7}}","c":"<script>","d":"../../x","e":"%00"}`,
  ],
];

/** Refused with a 400: it cannot be stored as it came. */
export const refused: [string, string][] = [
  ['an unpaired surrogate', '{"a":"x\\ud800"}'],
  ['an unpaired low surrogate', '{"a":["\\udc00x"]}'],
  ['surrogates in the wrong order', '{"a":"\\ude00\\ud83d"}'],
  ['an unpaired surrogate in a name', '{"a":{"\\ud800":1}}'],
  ['1e400', '{"a":1e400}'],
  ['-1e400', '{"a":[-1e400]}'],
  ['an integer beyond 2^53', '{"a":9007199254740993}'],
  ['a very long integer', `{"a":${'9'.repeat(400)}}`],
  ['a large number', '{"a":1e21}'],
  ['1,000 levels', deep(1000)],
  ['1,000 levels of lists', deep(1000, true)],
  ['100,000 levels', deep(100_000)],
  ['text after the end', '{"a":1}}'],
  ['NaN', '{"a":NaN}'],
  ['a comment', '{"a":1/*c*/}'],
  ['a list', '[1]'],
  ['a text', '"x"'],
  ['null', 'null'],
];
