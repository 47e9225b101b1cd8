import { build } from 'electron-vite';

// Run by `npm run dev` under `node --watch-path=src`: builds what changed and serves it in this process.
await build({ logLevel: 'warn' });
process.argv.splice(2, 0, 'serve');
const program = new URL('../out/main/cli.js', import.meta.url);
await import(program.href);
