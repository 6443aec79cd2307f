import { schemaOptions } from '@patchbay/store-typeorm/migrations';
import { DataSource, QueryFailedError, QueryResult, type QueryRunner } from 'typeorm';
import { AbstractSqliteDriver } from 'typeorm/driver/sqlite-abstract/AbstractSqliteDriver.js';
import { AbstractSqliteQueryRunner } from 'typeorm/driver/sqlite-abstract/AbstractSqliteQueryRunner.js';
import { Broadcaster } from 'typeorm/subscriber/Broadcaster.js';
import type { Sqlite3Connection } from './sqlite3-connection.ts';

/** TypeORM on the package `sqlite3`, for which it has had no driver since 1.0. */
class Sqlite3Driver extends AbstractSqliteDriver {
  readonly #connection: Sqlite3Connection;

  constructor(dataSource: DataSource, connection: Sqlite3Connection) {
    super(dataSource);
    this.#connection = connection;
    this.database = String(dataSource.options.database);
  }

  override createQueryRunner(): QueryRunner {
    const runner = this.queryRunner ?? new Sqlite3QueryRunner(this, this.#connection);
    this.queryRunner = runner;
    return runner;
  }

  override async disconnect(): Promise<void> {
    await this.#connection.close();
  }

  protected override async createDatabaseConnection(): Promise<Sqlite3Connection> {
    return this.#connection;
  }

  protected override loadDependencies(): void {}
}

class Sqlite3QueryRunner extends AbstractSqliteQueryRunner {
  readonly #connection: Sqlite3Connection;

  constructor(driver: Sqlite3Driver, connection: Sqlite3Connection) {
    super();
    this.#connection = connection;
    this.driver = driver;
    this.dataSource = driver.dataSource;
    this.broadcaster = new Broadcaster(this);
  }

  override async beforeMigration(): Promise<void> {
    await this.#connection.run('PRAGMA foreign_keys = OFF');
  }

  override async afterMigration(): Promise<void> {
    await this.#connection.run('PRAGMA foreign_keys = ON');
  }

  /** The result depends on `structured`, which the types of TypeORM can express with `any` only. */
  override async query(sql: string, parameters: unknown[] = [], structured = false): Promise<never> {
    const result = new QueryResult();
    try {
      if (/^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql) && !/\bRETURNING\b/i.test(sql)) {
        result.affected = await this.#connection.run(sql, parameters);
      } else {
        result.records = [...(await this.#connection.rows(sql, parameters))];
        result.raw = result.records;
      }
    } catch (error) {
      throw new QueryFailedError(sql, parameters, error as Error);
    }
    return (structured ? result : result.raw) as never;
  }

  protected override async loadTableRecords(path: string, kind: 'table' | 'index'): Promise<unknown> {
    const column = kind === 'table' ? 'name' : 'tbl_name';
    return await this.query(`SELECT null AS database, * FROM sqlite_master WHERE "type" = ? AND "${column}" = ?`, [
      kind,
      path,
    ]);
  }

  protected override async loadPragmaRecords(path: string, pragma: string): Promise<unknown> {
    return await this.query(`PRAGMA ${pragma}("${path}")`);
  }
}

/** A data source with our entities and migrations, over a connection that is open, and that it closes. */
export async function sqlite3DataSource(file: string, connection: Sqlite3Connection): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    // Unused placeholder, replaced before any call.
    driver: class {},
    database: file,
    ...schemaOptions('sqlite'),
  });
  Object.assign(dataSource, { driver: new Sqlite3Driver(dataSource, connection) });
  return await dataSource.initialize();
}
