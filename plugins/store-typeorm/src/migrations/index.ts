/**
 * Migrations and the entities that they lead to. Apart from the statements, because they load TypeORM.
 *
 * @module
 */
export { schemaOptions } from '../entities.ts';
export { type MigrationMode, migrations, runMigrations } from './migrations.ts';
