import { afterAll, expect } from 'vitest';
import { forgetSaid, leaks } from './spoken.ts';

// Beside every test file: what its nodes have logged and answered as errors holds no key, token, session or secret.
afterAll(() => {
  const found = leaks();
  forgetSaid();
  expect(
    found.map(({ credential, text }) => `${credential.slice(0, 12)}... in ${text.slice(0, 500)}`),
    'credentials in logs or errors',
  ).toEqual([]);
});
