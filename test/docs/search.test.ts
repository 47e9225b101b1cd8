import { walkThrough } from './walk-through.ts';

walkThrough('docs/search.md');
