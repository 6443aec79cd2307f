import { jsonTextOf, parseJson } from '@patchbay/contracts/base/json-text';
import { notFound } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionJob, ExecutionOutcome, Executor } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Storage } from '@patchbay/contracts/storage';
import type { SettingsService } from '../../settings/settings-service.ts';
import { type NotedContext, withContent } from '../../usage/call-records.ts';
import { storedAtVersion } from '../prepare-function.ts';
import { doTask, type TaskDependencies, withModel } from './do-task.ts';

export interface FunctionRunnerDependencies {
  readonly task: TaskDependencies;
  /** Runs functions with code. Absent: only functions without code can be run. */
  readonly code: Executor | undefined;
  readonly storage: Storage;
  readonly settings: Pick<SettingsService, 'resolveCall'>;
  readonly clock: Clock;
}

/** Runs functions with code in the executor, and others with models. */
export function createFunctionRunner(dependencies: FunctionRunnerDependencies): Executor {
  const { code } = dependencies;
  const prepareProgram = code?.prepareProgram?.bind(code);
  return {
    async prepare(source, context) {
      if (source.code === '') return { artifact: '' };
      return (await code?.prepare?.(source, context)) ?? { artifact: source.bundle?.module ?? source.code };
    },

    ...(code?.isSealed && { isSealed: true }),

    ...(prepareProgram && { prepareProgram }),

    async execute(job, context) {
      if (job.artifact === '') return await runByModel(dependencies, job, within(job, context));
      if (code) return await code.execute(job, context);
      throw new PatchbayError('executor_unavailable', 'no executor is configured', { retryAfter: 60 });
    },
  };
}

/** The model is called on behalf of the function, as its code would: usage counts for the function. */
function within({ executionId: id, functionId }: ExecutionJob, context: NotedContext): NotedContext {
  return { ...context, execution: { id, functionId, depth: (context.execution?.depth ?? 0) + 1 } };
}

async function runByModel(
  { task, storage, settings: settingsService, clock }: FunctionRunnerDependencies,
  job: ExecutionJob,
  context: NotedContext,
): Promise<ExecutionOutcome> {
  const from = clock.monotonic();
  const base = () => ({ logsTruncated: false, durationMs: clock.monotonic() - from });
  try {
    const row = await storedAtVersion(storage, context.caller.tenant, job);
    if (!row) throw notFound('functions');
    const { name, description, output } = row;
    const resolved = await settingsService.resolveCall(row, context);
    const input = (await parseJson(job.input)) as JsonObject;
    const settings = withModel(resolved.settings, context);
    const { version: settingsVersion } = resolved;
    const { id: functionId } = row;
    const call = {
      id: job.executionId,
      name,
      ...context.call,
      functionId,
      settingsVersion: settingsVersion || null,
      input,
    };
    const work = { name, description, input, output, settings, settingsVersion };
    const { content } = resolved.settings;
    // Variants of experiments may have settings other than those known before the run.
    if (context.notes && content) context.notes.content = content;
    const noted = { ...withContent(context, resolved.settings), call };
    const { object, model, usage, warnings, cached } = await doTask(task, work, noted, job.watcher);
    const time = new Date(clock.now()).toISOString();
    const logs = warnings.map((message) => ({ level: 'warn' as const, message, time }));
    const measured = { model, settingsVersion: resolved.version, ...usage, ...(cached ? { cached } : {}) };
    return { ...base(), status: 'completed', output: jsonTextOf(object), logs, usage: measured };
  } catch (error) {
    if (context.signal.aborted) {
      return {
        ...base(),
        status: 'cancelled',
        logs: [],
        error: { reason: 'cancelled', message: 'The run was cancelled' },
      };
    }
    if (PatchbayError.is(error) && error.code === 'function_output_invalid') {
      const message = [error.message, ...error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join('; ');
      return {
        ...base(),
        status: 'failed',
        logs: [],
        error: { reason: 'output_invalid', message: message.slice(0, 2_000) },
      };
    }
    throw error;
  }
}
