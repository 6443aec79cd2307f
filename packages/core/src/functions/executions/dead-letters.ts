import { findRow, requireAllFunctions, retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../../paging/list-page.ts';
import { settling } from './execution-engine.ts';
import { executionSummary } from './execution-service.ts';
import { type Queueing, rerunFields } from './queueing.ts';

const deadLetterSummary = [...executionSummary, 'attempt', 'error'] as const;

export type DeadLetter = Pick<ExecutionRow, (typeof deadLetterSummary)[number]>;

/** A dead letter that was to run again: the new execution, or why there is none. */
export type Rerun =
  | { readonly id: string; readonly executionId: string; readonly error?: undefined }
  | { readonly id: string; readonly executionId?: undefined; readonly error: PatchbayError };

/** Asynchronous executions that did not complete in their last run, until they are run again or removed. */
export interface DeadLetters {
  /**
   * @param functionId Default: those of all functions.
   * @throws PatchbayError `function_not_found`.
   */
  list(
    functionId: string | undefined,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<DeadLetter>>;
  /**
   * Rerun a page of a function's dead letters. Those that another caller reran at the same time are left out, and so
   * are all after the first one that finds the queue full.
   *
   * @throws PatchbayError `function_not_found`; as `enqueue`, if nothing could be queued for a reason other than the input.
   */
  rerun(functionId: string, page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<Rerun>>;
  /** The execution stays. @throws PatchbayError `execution_not_found` if it is not a dead letter. */
  remove(id: string, context: RequestContext): Promise<void>;
}

interface DeadLetterDependencies {
  readonly storage: Storage;
  readonly cursors: CursorCodec;
  readonly queueing: Queueing;
}

export function createDeadLetters({ storage, cursors, queueing }: DeadLetterDependencies): DeadLetters {
  const pageOf = <F extends keyof ExecutionRow>(
    functionId: string | undefined,
    page: PageRequest<'createdAt'>,
    select: readonly F[],
    context: RequestContext,
  ): Promise<PageResult<Pick<ExecutionRow, F>>> => {
    const where = { deadLetter: 'open', ...(functionId !== undefined && { functionId }) } as const;
    return listPage({ storage, cursors }, { collection: 'executions', where, page, select }, context);
  };

  return {
    async list(functionId, page, context) {
      if (functionId === undefined) requireAllFunctions(context.caller);
      else await findRow(storage, 'functions', functionId, context);
      return await pageOf(functionId, page, deadLetterSummary, context);
    },

    async rerun(functionId, page, context) {
      await findRow(storage, 'functions', functionId, context);
      const { nextCursor, ...found } = await pageOf(functionId, page, rerunFields, context);
      const rows: Rerun[] = [];
      for (const ended of found.rows) {
        const { id } = ended;
        try {
          const row = await queueing.runAgain(ended, context);
          if (row) rows.push({ id, executionId: row.id });
        } catch (error) {
          if (!PatchbayError.is(error)) throw error;
          if (error.code === 'input_invalid') rows.push({ id, error });
          else if (rows.some(({ executionId }) => executionId)) return { ...found, rows };
          else throw error;
        }
      }
      return { ...found, rows, ...(nextCursor && { nextCursor }) };
    },

    async remove(id, context) {
      await retryRefused('too many concurrent changes to the execution; try again', async () => {
        const row = await findRow(storage, 'executions', id, context);
        if (row.deadLetter !== 'open') {
          throw new PatchbayError(
            'execution_not_found',
            'no dead letter has this id; it may have been run again or removed',
          );
        }
        return (await storage.commit(context.caller.tenant, settling(row))).done || undefined;
      });
    },
  };
}
