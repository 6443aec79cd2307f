import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';
import { addColumns, createTable } from './schema-changes.ts';

const keyIndex = 'ix_functions_key_tenant_created_at_id';

/** The settings of functions, and the keys by which clients call functions. */
export class FunctionSettings1795300000000 implements MigrationInterface {
  readonly name = 'FunctionSettings1795300000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'functions', { key: 'string?' });
    await fillKeys(runner);
    await runner.createIndex(
      'functions',
      new TableIndex({ name: keyIndex, columnNames: ['key', 'tenant', 'created_at', 'id'] }),
    );
    await createTable(runner, {
      name: 'function_settings',
      columns: {
        function_id: 'string',
        latest: 'integer',
        updated_at: 'time',
        updated_by: 'string',
        labels: 'json',
      },
      indexes: [
        ['tenant', 'updated_at', 'id'],
        ['function_id', 'tenant', 'updated_at', 'id'],
      ],
    });
    await createTable(runner, {
      name: 'settings_versions',
      columns: {
        function_id: 'string',
        version: 'integer',
        created_at: 'time',
        created_by: 'string',
        values: 'json',
      },
      indexes: [
        ['tenant', 'version', 'id'],
        ['function_id', 'tenant', 'version', 'id'],
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('settings_versions');
    await runner.dropTable('function_settings');
    await runner.dropIndex('functions', keyIndex);
    await runner.dropColumns('functions', ['key']);
  }
}

async function fillKeys(runner: QueryRunner): Promise<void> {
  const rows: { id: string; name: string }[] = await runner.query('SELECT "id", "name" FROM "functions"');
  for (const { id, name } of rows) {
    const update = runner.manager
      .createQueryBuilder()
      .update('functions')
      .set({ key: keyOf(name) });
    await update.where('id = :id', { id }).execute();
  }
}

/** As the core makes them at this version: a migration that was released is never changed. */
function keyOf(name: string): string {
  const [first = '', ...others] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const start = first.charAt(0).toLowerCase() + first.slice(1);
  return [start, ...others.map((each) => each.charAt(0).toUpperCase() + each.slice(1))].join('');
}
