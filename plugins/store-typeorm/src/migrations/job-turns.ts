import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

const columnNames = ['topic', 'state', 'tenant', 'due_at', 'id'];
const name = ['ix', 'jobs', ...columnNames].join('_');

/** Finds the first job of each tenant: they are taken in turns. */
export class JobTurns1795380000000 implements MigrationInterface {
  readonly name = 'JobTurns1795380000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('jobs', new TableIndex({ name, columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('jobs', name);
  }
}
