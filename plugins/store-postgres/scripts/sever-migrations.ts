/**
 * Cut the connection of migrations at every packet, and look at what is left:
 *
 *     node --conditions=source plugins/store-postgres/scripts/sever-migrations.ts [step]
 */
import { startPostgres } from '@patchbay/postgres-for-tests';
import { countArgument } from '../../../scripts/count-argument.ts';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import { migrate } from '../src/migrate.ts';
import { severingProxy } from '../src/test-support/severing-proxy.ts';
import { optionsFor } from '../src/test-support/temporary-storage.ts';

const scorecard = openScorecard('migrations');

const step = countArgument(1, 1);
const postgres = await startPostgres();
const database = await postgres.createDatabase();
let places = 0;
let left = 0;
let ran = false;
for (let at = 1; !ran; at += step) {
  const proxy = await severingProxy(database.url, at);
  ran = await migrate(optionsFor(proxy.url)).then(
    () => true,
    () => false,
  );
  await proxy.close();
  const tables = await database.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
  if (!ran) places += 1;
  if (!ran && tables.length > 0) left += 1;
}
await postgres.stop();
console.log(`cut at ${places} places: ${left} left something behind, and the next run went through`);
scorecard.record([
  {
    what: 'PostgreSQL, the connection of migrations is cut at every packet: places that left something behind',
    value: left,
    target: { exactly: 0 },
    note: `${places} places; the next run went through`,
  },
]);
process.exitCode = left === 0 ? 0 : 1;
