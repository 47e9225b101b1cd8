// Run by npm whenever it has changed the installed packages (the script `dependencies`). The lock file has to say that
// better-sqlite3 is not built from source: npm 10 looks for that there only, and would need Python and a compiler for a
// package that brings its binaries. npm itself drops the mark each time that it writes the file.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const entry = lock.packages['node_modules/better-sqlite3'];
if (entry && entry.gypfile !== false) {
  entry.gypfile = false;
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
