import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../helpers/store.ts';

const file = fileURLToPath(new URL('../../src/server/store/schema.sql', import.meta.url));
const head = `-- The schema of a network's database as the migrations make it. Generated: after a change of a migration, run
--   npx vitest run test/store/schema.test.ts -u
`;

test('schema.sql is what the migrations make (vitest -u writes it)', async () => {
  await using opened = await openStore('here');
  const made = opened.rows(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY tbl_name, type DESC, name",
  );
  expect(made.length).toBeGreaterThan(8);
  await expect(`${[head, ...made.map(({ sql }) => `${sql};\n`)].join('\n')}`).toMatchFileSnapshot(file);
});
