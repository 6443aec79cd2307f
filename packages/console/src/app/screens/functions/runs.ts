import type { ApiClient } from '../../api/api-client.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Call, FunctionInput } from '../../api/operations.generated.ts';
import type { LogLine } from '../../parts/log-lines.tsx';
import type { Draft } from './draft.ts';

/** A run of a function, as far as it is. */
export interface Run {
  readonly status: string;
  /** Where its trace is. */
  readonly id?: string;
  readonly durationMs?: number | undefined;
  readonly logs: readonly LogLine[];
  readonly output?: unknown;
  readonly model?: string | undefined;
  readonly error?: { readonly message?: string; readonly stack?: string } | undefined;
}

/** Run a function that is not saved. */
export async function* runDraft(
  api: ApiClient,
  { input, output, code = '' }: FunctionInput,
  given: Record<string, unknown>,
): AsyncGenerator<Run> {
  const result = await api.call('testFunction', { body: { function: { input, output, code }, input: given } });
  yield result;
}

/** Run a saved function: with its logs while code runs, and with the output while a model writes it. */
export async function* runSaved(
  api: ApiClient,
  id: string,
  draft: Draft,
  input: Record<string, unknown>,
): AsyncGenerator<Run> {
  if (draft.code.trim() !== '') return yield* execute(api, id, input);
  try {
    yield* askModel(api, draft.name, input);
  } catch (error) {
    // The id leads to it as well, but without a stream.
    if (!(error instanceof ApiError) || error.code !== 'ambiguous_function_name') throw error;
    yield* execute(api, id, input);
  }
}

async function* execute(api: ApiClient, id: string, input: Record<string, unknown>): AsyncGenerator<Run> {
  const headers = { Prefer: 'respond-async' };
  const { id: execution } = await api.call('executeFunction', { path: { id }, body: { input }, headers });
  let logs: readonly LogLine[] = [];
  yield { status: 'running', id: execution, logs };
  for await (const { event, data } of api.events('followExecutionLogs', { path: { id: execution } })) {
    if (event !== 'log') continue;
    logs = [...logs, data as LogLine];
    yield { status: 'running', id: execution, logs };
  }
  yield await api.call('getExecution', { path: { id: execution } });
}

async function* askModel(api: ApiClient, name: string, input: Record<string, unknown>): AsyncGenerator<Run> {
  const started = performance.now();
  const body = { input, stream: true };
  for await (const { event, data } of api.events('callFunctionByName', { path: { name }, body })) {
    const { id, output, model, executionId } = data as Partial<Call>;
    if (event === 'delta') yield { status: 'running', logs: [], output };
    if (event !== 'done') continue;
    const durationMs = Math.round(performance.now() - started);
    yield { status: 'completed', logs: [], output, model, durationMs, id: executionId ?? id ?? '' };
  }
}
