import type { Statement, StatementResult, Steps } from '@patchbay/store-typeorm';
import { PreparedStatements } from './prepared-statements.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** The connection that a `GroupWriter` writes through. */
export interface WriterConnection {
  /** Run steps one after the other: at once, or later where the driver answers later. */
  run<R>(steps: Steps<R>): R | Promise<R>;
  /** Absent where the driver does not tell. */
  readonly isInTransaction?: () => boolean;
}

/** A connection whose driver answers at once: a group is written within one turn of the event loop. */
export function immediateWrites(database: SqliteDatabase): WriterConnection {
  const prepared = new PreparedStatements(database);
  return {
    run(steps) {
      let step = steps.next();
      while (step.done !== true) {
        let result: StatementResult;
        try {
          result = prepared.execute(step.value);
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
        step = steps.next(result);
      }
      return step.value;
    },
    isInTransaction: () => database.inTransaction,
  };
}

/** A connection whose driver answers later. */
export function deferredWrites(execute: (statement: Statement) => Promise<StatementResult>): WriterConnection {
  return {
    async run(steps) {
      let step = steps.next();
      while (step.done !== true) {
        let result: StatementResult;
        try {
          result = await execute(step.value);
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
        step = steps.next(result);
      }
      return step.value;
    },
  };
}
