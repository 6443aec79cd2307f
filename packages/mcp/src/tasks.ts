import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
} from '@modelcontextprotocol/server';
import { type App, PatchbayError } from '@patchbay/core';
import type { RequestContext } from '@patchbay/core/plugin';
import type { ExecutionRow } from '@patchbay/core/storage';
import { completed, failed } from './tool-result.ts';

/** The extension that lets a call continue without its client (`io.modelcontextprotocol/tasks`). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** How often clients should poll a task. */
const POLL_MS = 1_000;

/** Whether a message comes from a client that supports tasks. Each message declares it. */
export function knowsTasks(message: unknown): boolean {
  const { params } = Object(message) as { readonly params?: unknown };
  const { _meta: meta } = Object(params) as { readonly _meta?: unknown };
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = Object(meta) as Readonly<Record<string, unknown>>;
  const { extensions } = Object(capabilities) as { readonly extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, tasksExtension);
}

/** The refusal of a client that requests tasks, but does not support them. */
export function unknownTasks(): MissingRequiredClientCapabilityError {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  return new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** The refusal of a message that subscribes to tasks, from a client that does not support them. */
export function refuseTasks(message: unknown): string | undefined {
  const { id, method, params } = Object(message) as {
    readonly id?: unknown;
    readonly method?: unknown;
    readonly params?: unknown;
  };
  const { notifications } = Object(params) as { readonly notifications?: unknown };
  const { taskIds } = Object(notifications) as { readonly taskIds?: unknown };
  if (method !== 'subscriptions/listen' || taskIds === undefined || knowsTasks(message)) return undefined;
  const { code, message: text, data } = unknownTasks();
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text, data } });
}

/** The result of a call that continues: an asynchronous execution is its task, and is stored before this is sent. */
export function createdTask(row: ExecutionRow, app: App): Result {
  return { resultType: 'task', ...taskOf(row, app) };
}

/** A task, with its result if it has ended. */
export async function getTask(id: string, context: RequestContext, app: App): Promise<Result> {
  const row = await findTask(id, context, app);
  const task = taskOf(row, app);
  if (task.status !== 'completed') return task;
  try {
    return { ...task, result: { resultType: 'complete', ...resultOf(row, app) } };
  } catch (error) {
    context.logger.error('a task has failed', { executionId: row.id, error });
    const message = 'the cause is in the log of the server';
    return { ...task, status: 'failed', error: { code: ProtocolErrorCode.InternalError, message } };
  }
}

/** The server never requests input, so there is nothing that an update could answer. */
export async function updateTask(id: string, context: RequestContext, app: App): Promise<Result> {
  await findTask(id, context, app);
  return {};
}

/** Resolves once the process of the task is gone. A task that has ended is left unchanged. */
export async function cancelTask(id: string, context: RequestContext, app: App): Promise<Result> {
  await findTask(id, context, app);
  try {
    await app.services.executions.cancel(id, context);
  } catch (error) {
    if (!PatchbayError.is(error) || error.code !== 'conflict') throw error;
  }
  return {};
}

/** An ID alone is not a permission: a task belongs to the credentials that requested it. */
async function findTask(id: string, context: RequestContext, { services }: App): Promise<ExecutionRow> {
  const row = await services.executions.get(id, context).catch((error: unknown) => {
    if (PatchbayError.is(error) && error.code === 'execution_not_found') return undefined;
    throw error;
  });
  // Only what was queued has a principal; the response of others was sent when they had ended.
  if (row && row.principal !== null && row.createdBy === context.caller.id) return row;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Failed to retrieve task: Task not found');
}

function taskOf(row: ExecutionRow, { services }: App) {
  const { id, status, createdAt, completedAt } = row;
  return {
    taskId: id,
    ...stateOf(status),
    createdAt,
    lastUpdatedAt: completedAt ?? createdAt,
    ttlMs: services.executions.keptMs ?? null,
    pollIntervalMs: POLL_MS,
  };
}

function stateOf(status: ExecutionRow['status']) {
  if (status === 'queued') return { status: 'working', statusMessage: 'The function waits to be run.' };
  if (status === 'running') return { status: 'working', statusMessage: 'The function runs.' };
  // The failure of a function is a result, as it is without a task.
  return { status: status === 'cancelled' ? 'cancelled' : 'completed' };
}

function resultOf(row: ExecutionRow, app: App): CallToolResult {
  return row.status === 'completed' ? completed(row) : failed(app.services.executions.failure(row), app);
}
