import { APIError } from '@patchbay/client';
import type { Answer, CheckContext } from '../eval-case.ts';
import { type Cell, type NamedVerdict, sha256 } from './evaluation.ts';
import { concernsModel, failureCode } from './failure-code.ts';
import type { JournalLine } from './journal.ts';
import type { RunState } from './run-state.ts';
import { type EndedExecution, isAnswerLost, keyRevoked, outOfBudget, type ServerCalls } from './server-calls.ts';

export interface CellDependencies {
  readonly run: string;
  readonly functionId: string;
  readonly functionVersion: number;
  readonly state: Pick<RunState, 'of'>;
  readonly calls: ServerCalls;
  readonly checkCall: CheckContext['call'];
  readonly append: (line: JournalLine) => void;
  readonly signal: AbortSignal;
}

/** The function was changed while a run evaluated it, so that its cells cannot be compared. */
export class FunctionChangedError extends Error {
  override readonly name = 'UsageError';
}

/** Codes of executions that did not run, and may run again. */
const isRefusal: ReadonlySet<unknown> = new Set([outOfBudget, keyRevoked]);

/** How often a cell is run again: a function that itself kills the server must not be run, and paid for, without end. */
const MAX_REPEATS = 3;

/**
 * Run a cell to its end, from wherever the run was interrupted.
 *
 * @returns False if there is no budget for it.
 */
export async function runCell(cell: Cell, dependencies: CellDependencies): Promise<boolean> {
  const { state, calls, append, functionVersion } = dependencies;
  for (;;) {
    const execution = state.of(cell.id).execution ?? (await start(cell, dependencies));
    if (typeof execution !== 'string') {
      const verdicts = await grade(cell, execution, dependencies);
      append({
        type: 'ended',
        cell: cell.id,
        execution: '',
        answer: execution,
        settingsVersion: 0,
        verdicts,
        durationMs: 0,
        cost: 0,
      });
      return true;
    }
    const ended = await calls.endOf(execution);
    const cost = await calls.costOf(execution);
    const code = failureCode(ended.error?.code);
    const { message = '' } = ended.error ?? {};
    // A server that was killed says nothing about the answer of a model.
    const isInterrupted = ended.status === 'interrupted' && state.of(cell.id).refusals < MAX_REPEATS;
    if (isRefusal.has(code) || concernsModel.has(code) || isInterrupted) {
      append({ type: 'refused', cell: cell.id, code, message, cost });
      if (concernsModel.has(code)) throw new APIError(422, { code, detail: message });
      if (code === outOfBudget) return false;
      continue;
    }
    if (ended.functionVersion !== functionVersion) {
      throw new FunctionChangedError(
        `the function has version ${ended.functionVersion} now; the run began with version ${functionVersion}`,
      );
    }
    const answer = answerOf(ended, { code, message });
    let verdicts: readonly NamedVerdict[];
    try {
      verdicts = await grade(cell, answer, dependencies);
    } catch (error) {
      if (error instanceof APIError && error.code === outOfBudget) return false;
      throw error;
    }
    const { model, settingsVersion = 0 } = ended.usage ?? {};
    const durationMs = ended.durationMs ?? 0;
    append({ type: 'ended', cell: cell.id, execution, answer, model, settingsVersion, verdicts, durationMs, cost });
    return true;
  }
}

/**
 * Submit a cell to the server. Repeating this after an interruption results in the same execution.
 *
 * @returns Its id, or the failure of an input that the function does not accept.
 */
async function start(cell: Cell, dependencies: CellDependencies): Promise<string | Answer> {
  const {
    id,
    variant,
    case: { input },
  } = cell;
  const { run, functionId, state, calls, append } = dependencies;
  const { refusals, isStarted } = state.of(id);
  if (!isStarted) append({ type: 'started', cell: id });
  const path = `/functions/${encodeURIComponent(functionId)}/execute`;
  try {
    const request = { path, body: { input, trial: variant } };
    const execution = await calls.execute(request, `eval-${run}-${sha256(id)}-${refusals}`);
    append({ type: 'accepted', cell: id, execution });
    return execution;
  } catch (error) {
    if (isAnswerLost(error)) {
      append({ type: 'refused', cell: id, code: 'idempotency_answer_lost', message: '', cost: null });
      return await start(cell, dependencies);
    }
    if (!(error instanceof APIError) || error.code !== 'input_invalid') throw error;
    return {
      error: {
        code: error.code,
        message: error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
      },
    };
  }
}

function answerOf({ status, output }: EndedExecution, error: NonNullable<Answer['error']>): Answer {
  return status === 'completed' ? { output } : { error };
}

async function grade(
  { case: given }: Cell,
  answer: Answer,
  { checkCall: call, signal }: CellDependencies,
): Promise<readonly NamedVerdict[]> {
  const verdicts: NamedVerdict[] = [];
  for (const check of given.checks) {
    const verdict = await check.grade(answer, { case: given, signal, call });
    verdicts.push({ name: check.name, ...verdict });
  }
  return verdicts;
}
