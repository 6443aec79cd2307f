/**
 * The code that the stores over TypeORM share: the statements of the hot paths here, migrations under `./migrations`. Not a
 * public interface: it changes with the stores.
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
export { executedMigrations, isCurrent, releasedMigrations } from './migrations/is-current.ts';
export { type Counting, type Reading, ReadStatements, readRows } from './read-statements.ts';
export { escapeNul, type Statement, type StatementResult } from './sql.ts';
export { type EncodedWrite, WriteEncoder, WriteStatements } from './write-statements.ts';
