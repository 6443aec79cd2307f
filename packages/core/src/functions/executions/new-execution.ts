import { timestamp } from '@patchbay/contracts/base/clock';
import { jsonTextOf } from '@patchbay/contracts/base/json-text-of';
import { parseJson } from '@patchbay/contracts/base/read-json';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { ExecutionRow, FunctionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';

/** The row of an execution before its run, without its input. */
export function newExecution(
  id: string,
  source: Pick<FunctionRow, 'id' | 'revision'>,
  { caller, execution, trial }: Pick<RequestContext, 'caller' | 'execution' | 'trial'>,
  clock: Clock,
): ExecutionRow {
  return {
    id,
    revision: 1,
    functionId: source.id,
    functionVersion: source.revision,
    status: 'queued',
    input: {},
    effectiveInput: null,
    output: null,
    error: null,
    logs: [],
    logsTruncated: false,
    usage: null,
    durationMs: null,
    createdAt: timestamp(clock),
    completedAt: null,
    createdBy: caller.id,
    owner: null,
    attempt: 0,
    principal: null,
    parentId: execution?.id ?? null,
    calls: null,
    trial: trial ?? null,
    policy: null,
    scheduleId: null,
    scheduledFor: null,
    after: null,
    deadLetter: null,
  };
}

/**
 * Validate an input and fill in defaults. @returns Its text, and the completed document, or null if nothing was missing.
 * Does not modify the caller's object.
 *
 * @throws PatchbayError `input_invalid`.
 */
export async function completeInput(
  { input: schema }: Pick<FunctionRow, 'input'>,
  input: JsonObject,
  schemas: SchemaService,
  tenant: string,
): Promise<{ readonly text: string; readonly changed: JsonObject | null }> {
  const text = jsonTextOf(input);
  const { faults, changed } = await schemas.validate(tenant, schema, { text, role: 'input', pointer: '/input' });
  if (faults.length > 0) {
    throw new PatchbayError('input_invalid', 'the input does not match the input schema of the function', {
      errors: faults,
    });
  }
  if (changed === undefined) return { text, changed: null };
  return { text: changed, changed: (await parseJson(changed)) as JsonObject };
}

/** Make sure that a tenant may queue one more execution. @throws PatchbayError `concurrency_limited`. */
export async function requireRoom(storage: Pick<Storage, 'list'>, tenant: TenantId, maxQueued: number): Promise<void> {
  const query = { where: { status: 'queued' }, sort: 'createdAt', order: 'asc', limit: 1, select: ['id'] } as const;
  const { total } = await storage.list(tenant, 'executions', query);
  if (total < maxQueued) return;
  throw new PatchbayError('concurrency_limited', `${maxQueued} executions are queued already`, { retryAfter: 5 });
}
