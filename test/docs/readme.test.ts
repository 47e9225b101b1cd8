import { walkThrough } from './walk-through.ts';

walkThrough('README.md');
