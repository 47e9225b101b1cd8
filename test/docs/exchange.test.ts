import { walkThrough } from './walk-through.ts';

walkThrough('docs/exchange.md');
