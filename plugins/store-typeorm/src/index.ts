/**
 * What the stores over TypeORM share: entities, migrations, and the statements of the hot paths. Not a public interface:
 * it changes with the stores.
 *
 * @module
 */
export { applyInRounds } from './apply-in-rounds.ts';
export { applyWrites, type Steps } from './apply-writes.ts';
export type { Bindable, Dialect } from './columns.ts';
export { type CountChange, changesNoCount, countStatements } from './counts.ts';
export { entities } from './entities.ts';
export { escapeNul } from './escape-nul.ts';
export { migrations } from './migrations/migrations.ts';
export { listPendingMigrations, runMigrations } from './migrations/run-migrations.ts';
export { type Counting, type Reading, ReadStatements } from './read-statements.ts';
export { readRows } from './row-mapping.ts';
export { type Statement, type StatementResult, statementCapability } from './statement.ts';
export { WriteStatements } from './write-statements.ts';
