import { walkThrough } from './walk-through.ts';

walkThrough('docs/sync.md');
