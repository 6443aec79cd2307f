import type { ApiClient } from '../../api/api-client.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Call, FunctionInput } from '../../api/operations.generated.ts';
import type { LogLine } from '../../parts/log-lines.tsx';
import type { Draft } from './draft.ts';

/** A run of a function, as far as it has come. */
export interface Run {
  readonly status: string;
  /** Where its trace is. */
  readonly id?: string;
  readonly durationMs?: number | undefined;
  readonly logs: readonly LogLine[];
  readonly output?: unknown;
  readonly model?: string | undefined;
  readonly error?: { readonly code?: string; readonly message?: string; readonly stack?: string } | undefined;
}

/** Run a function that is not saved. Aborting the signal ends it. */
export async function* runDraft(
  api: ApiClient,
  { input, output, code = '' }: FunctionInput,
  given: Record<string, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Run> {
  const body = { function: { input, output, code }, input: given, stream: true };
  let run: Run = { status: 'running', logs: [] };
  for await (const { event, data } of api.events('testFunction', { body, signal })) {
    run = event === 'done' ? (data as Run) : withEvent(run, event, data);
    yield run;
  }
}

/** A run after a line that it has logged, or an output that it has yielded. */
function withEvent(run: Run, event: string, data: unknown): Run {
  if (event === 'log') return { ...run, logs: [...run.logs, data as LogLine] };
  return event === 'delta' ? { ...run, output: (data as Partial<Call>).output } : run;
}

/** Run a saved function: with its logs while code runs, and with the output while it is written. Aborting the signal ends it. */
export async function* runSaved(
  api: ApiClient,
  id: string,
  draft: Draft,
  input: Record<string, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Run> {
  const { code, name } = draft;
  if (code.trim() !== '' && !mayYield.test(code)) return yield* execute(api, id, input, signal);
  try {
    yield* call(api, name, input, signal);
  } catch (error) {
    // The id leads to it as well, but without a stream.
    if (!(error instanceof ApiError) || error.code !== 'ambiguous_function_name') throw error;
    yield* execute(api, id, input, signal);
  }
}

async function* execute(
  api: ApiClient,
  id: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Run> {
  const headers = { Prefer: 'respond-async' };
  const { id: execution } = await api.call('executeFunction', { path: { id }, body: { input }, headers });
  const path = { id: execution };
  // It continues without a reader, so it must be cancelled.
  const cancel = (): void => void api.call('cancelExecution', { path }).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    let run: Run = { status: 'running', id: execution, logs: [] };
    yield run;
    // The stream ends with the execution, even if it was cancelled: its last lines come first.
    for await (const { event, data } of api.events('followExecutionLogs', { path })) {
      if (event !== 'log') continue;
      run = { ...run, logs: [...run.logs, data as LogLine] };
      yield run;
    }
    yield await api.call('getExecution', { path });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** A sign of code that yields outputs before the last one: only calls by name receive them. */
const mayYield = /\bfunction\s*\*|\basync\s*\*|\basyncIterator\b|\bReadableStream\b/;

async function* call(
  api: ApiClient,
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Run> {
  const started = performance.now();
  const body = { input, stream: true, logs: true };
  let run: Run = { status: 'running', logs: [] };
  for await (const { event, data } of api.events('callFunctionByName', { path: { name }, body, signal })) {
    if (event !== 'done') {
      run = withEvent(run, event, data);
      yield run;
      continue;
    }
    const { id = '', output, model } = data as Partial<Call>;
    const durationMs = Math.round(performance.now() - started);
    yield { status: 'completed', logs: run.logs, output, model, durationMs, id };
  }
}
