import { expect, test } from 'vitest';
import { openLog } from '../src/server/log.ts';

function logged(object: object): Record<string, unknown> {
  const lines: string[] = [];
  openLog('info', { write: (line) => lines.push(line) })
    .child({ name: 'part' })
    .error(object, 'it failed');
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

test.each(['err', 'error'])('an error that is logged as `%s` has its message and its stack', (name) => {
  expect(logged({ [name]: new RangeError('Maximum call stack size exceeded') })).toMatchObject({
    msg: 'it failed',
    [name]: {
      type: 'RangeError',
      message: 'Maximum call stack size exceeded',
      stack: expect.stringContaining('logged-errors.test.ts'),
    },
  });
});

test.each(['err', 'error'])('credentials that an error logged as `%s` carries are left out', (name) => {
  const headers = { authorization: 'Bearer secret', cookie: 'secret=1', accept: '*/*' };
  const error = Object.assign(new Error('refused'), { headers });
  expect(logged({ [name]: error })).toMatchObject({
    [name]: { headers: { authorization: '[redacted]', cookie: '[redacted]', accept: '*/*' } },
  });
});
