import { walkThrough } from './walk-through.ts';

walkThrough('docs/rest.md');
