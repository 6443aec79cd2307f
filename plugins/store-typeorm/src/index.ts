/**
 * The code that the stores over TypeORM share: entities, migrations, and the statements of the hot paths. Not a public interface:
 * it changes with the stores.
 *
 * @module
 */
export {
  applyInRounds,
  applyWrites,
  type CountChange,
  changesNoCount,
  countStatements,
  type Steps,
} from './apply-writes.ts';
export { schemaOptions } from './entities.ts';
export { type MigrationMode, migrations, runMigrations } from './migrations/migrations.ts';
export { type Counting, type Reading, ReadStatements, readRows } from './read-statements.ts';
export { escapeNul, type Statement, type StatementResult } from './sql.ts';
export { WriteStatements } from './write-statements.ts';
