import { expect } from 'vitest';
import type { Row } from '../row.ts';

export const metricsRows: Row[] = [
  {
    route: 'GET /metrics',
    auth: 'required',
    action: null,
    wire: '200 401 403',
    cases: [
      {
        name: 'is a text',
        status: 200,
        call: () => ({ path: '/metrics' }),
        also: ({ headers, text }) => {
          expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
          expect(text).toContain('\n# TYPE archeion_commits_total counter\n');
        },
      },
    ],
  },
];
