import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { jobLogOf } from '../../src/server/model/job-log.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { accessOf } from '../../src/server/model/roles.ts';
import { compileFilter } from '../../src/server/store/listings/filter.ts';

beforeAll(() => void vi.stubEnv('TZ', 'America/New_York'));
afterAll(() => void vi.unstubAllEnvs());

const utc = '2026-11-27T06:00:00.000Z';

describe('a time without a zone is in UTC, wherever the node runs', () => {
  test.each([
    utc,
    '2026-11-27T06:00:00',
    '2026-11-27T06:00:00.000000',
    '2026-11-27T06:00',
    '2026-11-27 06:00:00',
    '2026-11-27T01:00:00-05:00',
  ])('%s', (text) => {
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(300);
    expect(compileFilter({ created_at: { $gt: text } }, []).params).toEqual([utc]);
    const properties = { roles: { editor: ['*:view'] } };
    const relationships = [{ predicate: 'editor', peer: 'ANN', properties: { expires_at: text } }];
    expect(accessOf({ properties, relationships }).members[0]?.expires).toBe(Date.parse(utc));
    const entry = { job_id: 'job_1', klados_id: 'K', status: 'done', started_at: text, completed_at: text };
    const log = { type: 'klados_log', properties: { log_data: { entry } } } as unknown as Manifest;
    expect(jobLogOf(log)).toMatchObject({ started: utc, completed: utc });
  });

  test.each(['now', '2026', '27.11.2026', ''])('and %j is none', (text) => {
    expect(() => compileFilter({ created_at: { $gt: text } }, [])).toThrow();
  });
});
