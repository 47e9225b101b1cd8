import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricsText } from '../../src/server/resources/node/metrics/text.ts';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf, sync } from '../sync/nodes.ts';

interface Line {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const help = /^# HELP ([a-z_]+) (.+)$/;
const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/;
const sample = /^([a-z_]+)(?:\{(.*)\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/;
const label = /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g;

/** Reads the format strictly, as its description has it: every line, in its family, after what is said of that. */
function parsed(text: string): Line[] {
  expect(text.endsWith('\n')).toBe(true);
  const lines: Line[] = [];
  const families = new Set<string>();
  const seen = new Set<string>();
  let family = '';
  let kind = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const helped = help.exec(line)?.[1];
    const typed = type.exec(line);
    if (helped !== undefined) {
      expect(families.has(helped), line).toBe(false);
      families.add(helped);
      family = helped;
      kind = '';
    } else if (typed) {
      expect([typed[1], kind]).toEqual([family, '']);
      kind = typed[2] ?? '';
    } else {
      const [, name = '', given = '', value = ''] = sample.exec(line) ?? [];
      expect(kind, line).not.toBe('');
      const suffixes = kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      expect(
        suffixes.map((suffix) => family + suffix),
        line,
      ).toContain(name);
      const labels = Object.fromEntries([...given.matchAll(label)].map(([, key = '', text = '']) => [key, text]));
      expect(given.replaceAll(label, ''), line).toBe('');
      expect(seen.has(`${name}{${given}}`), line).toBe(false);
      seen.add(`${name}{${given}}`);
      const number = value.replace('Inf', 'Infinity');
      if (kind === 'counter') expect(Number(number), line).toBeGreaterThanOrEqual(0);
      lines.push({ name, labels, value: Number(number) });
    }
  }
  return lines;
}

describe('the text format', () => {
  test('escapes what labels and help say', () => {
    const labels = { remote: 'a"b\\c\nd' };
    const text = metricsText([{ name: 'm', help: 'one\ntwo', type: 'gauge', samples: [{ labels, value: 1.5 }] }]);
    expect(text).toBe('# HELP m one\\ntwo\n# TYPE m gauge\nm{remote="a\\"b\\\\c\\nd"} 1.5\n');
  });

  test('adds up what a histogram counts, and leaves out what has no sample', () => {
    const series = [{ labels: { a: 'b' }, counts: [2, 0, 3], sum: 7.25 }];
    const text = metricsText([
      { name: 'none', help: 'Nothing.', type: 'counter', samples: [] },
      { name: 'h', help: 'Hours.', type: 'histogram', bounds: [0.1, 2], series },
    ]);
    expect(text.split('\n').slice(2)).toEqual([
      'h_bucket{a="b",le="0.1"} 2',
      'h_bucket{a="b",le="2"} 2',
      'h_bucket{a="b",le="+Inf"} 5',
      'h_sum{a="b"} 7.25',
      'h_count{a="b"} 5',
      '',
    ]);
  });
});

describe('GET /metrics', () => {
  let node: TestNode;
  let someone: Person;
  beforeAll(async () => {
    node = await startNode();
    someone = await user(node, 'someone');
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
  });

  async function metrics(who: Person) {
    const answer = await ask(node, who, 'GET /metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = parsed(answer.text);
    return (name: string, labels: Record<string, string> = {}): number | undefined =>
      lines.find((it) => it.name === name && Object.entries(labels).every(([key, text]) => it.labels[key] === text))
        ?.value;
  }

  test('counts requests by endpoint, whatever is asked', async () => {
    const first = await metrics(someone);
    const work = await create(node, someone, { properties: { label: 'One' } });
    for (const path of [work.id, work.id, '01ARZ3NDEKTSV4RRFFQ69G5FAV']) await node.fetch(`/entities/${path}`);
    for (let n = 0; n < 20; n++) await node.fetch(`/nothing/${n}`, { method: `GET` });
    await node.fetch('/entities', { method: 'POST', body: {} });
    const after = await metrics(someone);
    const more = (name: string, labels: Record<string, string>) =>
      (after(name, labels) ?? 0) - (first(name, labels) ?? 0);
    const read = { method: 'GET', route: '/entities/{id}' };
    expect(more('archeion_http_requests_total', { ...read, status: '2xx' })).toBe(2);
    expect(more('archeion_http_requests_total', { ...read, status: '4xx' })).toBe(1);
    expect(more('archeion_http_request_duration_seconds_count', read)).toBe(3);
    expect(more('archeion_http_request_duration_seconds_bucket', { ...read, le: '+Inf' })).toBe(3);
    expect(more('archeion_http_requests_total', { method: 'GET', route: 'other', status: '4xx' })).toBe(20);
    expect(more('archeion_http_requests_total', { method: 'POST', route: '/entities', status: '4xx' })).toBe(1);
    expect(more('archeion_commits_total', { network: 'main' })).toBe(1);
    expect(more('archeion_versions_written_total', { network: 'main' })).toBe(1);
    expect(more('archeion_moves_total', { network: 'main' })).toBe(1);
    expect(more('archeion_commit_groups_total', { network: 'main' })).toBe(1);
  });

  test('measures the process and the store', async () => {
    const value = await metrics(someone);
    expect(value('archeion_info', { version: node.ctx.version })).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    const [p50, p99, max] = ['0.5', '0.99', '1'].map((quantile) =>
      value('archeion_event_loop_delay_seconds', { quantile }),
    );
    expect(p50).toBeLessThanOrEqual(p99 ?? -1);
    expect(p99).toBeLessThanOrEqual(max ?? -1);
    expect(value('archeion_database_bytes', { network: 'main' })).toBeGreaterThanOrEqual(4096);
    expect(value('archeion_commit_queue_bytes', { network: 'main' })).toBe(0);
    expect(value('archeion_large_requests')).toBe(0);
    expect(value('archeion_long_reads', { network: 'main' })).toBe(0);
  });

  test('tells the operator how things stand with each remote, and nobody else', async () => {
    await using origin = await startNode();
    const here = operator(node);
    const curator = await user(origin, 'curator');
    await addRemote(node, here, { url: origin.url, key: keyOf(curator) });
    const remote = { network: 'main', remote: 'origin' };
    const added = await metrics(here);
    expect(added('archeion_sync_last_run_timestamp_seconds', remote)).toBeUndefined();
    expect(added('archeion_sync_pending', remote)).toBe(1);
    await sync(node, here);
    await create(node, here, { properties: { label: 'mine' } });
    const value = await metrics(here);
    expect(value('archeion_sync_pending', remote)).toBe(1);
    for (const name of ['unread_events', 'conflicts', 'refused', 'failing', 'running'])
      expect(value(`archeion_sync_${name}`, remote), name).toBe(0);
    const [run, level, success] = ['last_run', 'level', 'last_success'].map((name) =>
      value(`archeion_sync_${name}_timestamp_seconds`, remote),
    );
    expect(success).toBe(run);
    expect(level).toBeLessThanOrEqual(run ?? 0);
    expect((await metrics(someone))('archeion_sync_pending', remote)).toBeUndefined();
    await origin[Symbol.asyncDispose]();
    await expect(sync(node, here)).rejects.toThrow('cannot be read');
    const failed = await metrics(here);
    expect(failed('archeion_sync_failing', remote)).toBe(1);
    expect(failed('archeion_sync_last_success_timestamp_seconds', remote)).toBe(level);
  });

  test('needs a key', async () => {
    expect((await ask(node, anonymous, 'GET /metrics')).status).toBe(401);
  });
});
