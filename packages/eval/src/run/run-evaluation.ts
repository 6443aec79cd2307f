import type { Client } from '@patchbay/client';
import { createCheckCall } from './check-call.ts';
import { type Cell, cellsOf, type Evaluation } from './evaluation.ts';
import type { Journal, JournalLine, RunHead } from './journal.ts';
import { runCell } from './run-cell.ts';
import type { RunState } from './run-state.ts';
import { createServerCalls } from './server-calls.ts';

export interface RunOptions {
  readonly client: Pick<Client, 'request'>;
  readonly journal: Pick<Journal, 'append'>;
  /** Of the journal. */
  readonly state: RunState & { readonly head: RunHead };
  /** Of the whole run, in billionths of a dollar. The server enforces it; this is for one without limits. Default: none. */
  readonly budget?: number | undefined;
  /** Concurrent cells. Default: 2. */
  readonly concurrency?: number | undefined;
  /** Ends the run, which can be resumed. */
  readonly signal: AbortSignal;
  readonly onEnded?: (cell: Cell) => void;
  /** Only the cells that were begun: they finish with the key that they began with. Default: all. */
  readonly only?: 'begun';
}

/** How a run ended: with all cells, or earlier. */
export type RunEnd = 'done' | 'interrupted' | 'out of budget';

/**
 * Run the cells of an evaluation that have not ended yet.
 *
 * @throws APIError, ConnectionError, FunctionChangedError. The run can be resumed afterwards.
 */
export async function runEvaluation(evaluation: Evaluation, options: RunOptions): Promise<RunEnd> {
  const { client, journal, state, budget = Number.POSITIVE_INFINITY, concurrency = 2, signal, onEnded, only } = options;
  const { run } = state.head;
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  const append = (line: JournalLine): void => {
    journal.append(line);
    state.take(line);
  };
  const calls = createServerCalls({ client, signal: ending });
  const checkCall = createCheckCall(run, { calls, state, append });
  const { id: functionId, version: functionVersion } = evaluation.function;
  const dependencies = { run, functionId, functionVersion, state, calls, checkCall, append, signal: ending };

  const isPending = ({ id }: Cell): boolean => {
    const { result, isStarted } = state.of(id);
    return result === undefined && (only === undefined || isStarted);
  };
  const pending = cellsOf(evaluation).filter(isPending);
  const next = (): Cell | undefined => (ending.aborted || state.spent >= budget ? undefined : pending.shift());
  let active = 0;
  const work = async (): Promise<void> => {
    active += 1;
    try {
      for (let cell = next(); cell; cell = next()) {
        const wasAlone = active === 1;
        if (await runCell(cell, dependencies)) onEnded?.(cell);
        else {
          pending.unshift(cell);
          // Others reserve the maximum cost of their calls. With fewer of them, there may be enough.
          if (wasAlone || active > 1) return;
        }
      }
    } catch (error) {
      failed.abort(error);
      throw error;
    } finally {
      active -= 1;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, work));
  if (signal.aborted) return 'interrupted';
  const failure = ended.find((each) => each.status === 'rejected');
  if (failure) throw failed.signal.reason;
  return pending.length > 0 ? 'out of budget' : 'done';
}
