import { walkThrough } from './walk-through.ts';

walkThrough('docs/processors.md');
