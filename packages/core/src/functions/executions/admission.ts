import { backoffMs, timestamp } from '@patchbay/contracts/base/clock';
import { intervalMs } from '@patchbay/contracts/base/interval';
import { jsonTextOf, parseJson } from '@patchbay/contracts/base/json-text';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext, Trial } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionLimits, Executor } from '@patchbay/contracts/executor';
import { type RunPolicy, repeatedStatuses } from '@patchbay/contracts/function-settings';
import type { JsonObject } from '@patchbay/contracts/json';
import type { ExecutionRow, ExecutionStatus, FunctionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { authorize } from '../../access/callers.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import type { PreparedProgram } from './program-source.ts';

interface AdmissionDependencies {
  /** Absent: functions are stored, but cannot be executed. */
  readonly executor: Executor | undefined;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly schemas: SchemaService;
  readonly clock: Clock;
}

/** A validated request to execute a function. */
export interface AdmittedExecution {
  readonly source: FunctionRow;
  readonly runner: Executor;
  /** The row of the execution before its run. */
  readonly row: ExecutionRow;
  /** JSON text of the input, with the defaults of its schema filled in. */
  readonly text: string;
  /** Default: those of the config. */
  readonly limits?: ExecutionLimits;
  /** Only for a program. */
  readonly program?: PreparedProgram;
}

export interface Admission {
  /** @throws PatchbayError `executor_unavailable`. */
  requireExecutor(): Executor;
  /** @throws PatchbayError `executor_unavailable`, `input_invalid`; for trials as `checkTrial`. */
  admit(source: FunctionRow, input: JsonObject, context: RequestContext): Promise<AdmittedExecution>;
}

export function createAdmission({ executor, settings, schemas, clock }: AdmissionDependencies): Admission {
  const requireExecutor = (): Executor => {
    if (executor) return executor;
    throw new PatchbayError('executor_unavailable', 'no executor is configured', { retryAfter: 60 });
  };

  return {
    requireExecutor,
    async admit(source, input, context) {
      const runner = requireExecutor();
      if (context.trial) await checkTrial(source, context.trial, settings, context);
      const { text, changed } = await completeInput(source, input, schemas, context.caller.tenant);
      const row = { ...newExecution(newId('execution'), source, context, clock), input, effectiveInput: changed };
      return { source, runner, row, text };
    },
  };
}

/**
 * Validate what a trial fixes.
 *
 * @throws PatchbayError `invalid_request` for a function with code, `insufficient_scope`, `settings_not_found`.
 */
async function checkTrial(
  { id, code }: FunctionRow,
  { model, settingsVersion }: Trial,
  settings: Pick<SettingsService, 'get'>,
  context: RequestContext,
): Promise<void> {
  if (code !== '' && (model !== undefined || settingsVersion !== undefined)) {
    const fixed = Object.keys(context.trial ?? {}).filter((name) => name !== 'content');
    const errors = fixed.map((name) => ({
      pointer: `/trial/${name}`,
      code: 'unsupported_parameter',
      detail: 'is only for functions that a model runs',
    }));
    throw new PatchbayError('invalid_request', 'the function has code', { errors });
  }
  // Executing a function includes the model of its settings, and no other.
  if (model !== undefined) authorize(context.caller, 'gateway:invoke');
  if (settingsVersion !== undefined) await settings.get(id, { version: settingsVersion }, context);
}

const LONGEST_BACKOFF_MS = 3_600_000;

/** The settings of a function that apply to its runs. Null if it has none. */
export async function policyOf(
  settings: Pick<SettingsService, 'resolve'>,
  source: FunctionRow,
  context: Pick<RequestContext, 'caller' | 'settingsLabel'>,
): Promise<RunPolicy | null> {
  const { retry, timeoutMs, memoryMb, concurrency, rateLimit, content } = (await settings.resolve(source, context))
    .settings;
  return notEmpty({
    ...(retry && { retry }),
    ...(timeoutMs && { timeoutMs }),
    ...(memoryMb && { memoryMb }),
    ...(concurrency && { concurrency }),
    ...(rateLimit && { rateLimit }),
    ...(content && { content }),
  });
}

/** The part that applies to an execution whose caller waits. Models have other timeouts. */
export function ofWaiting({ code }: Pick<FunctionRow, 'code'>, policy: RunPolicy | null): RunPolicy | null {
  if (policy === null || code !== '') return policy;
  const { rateLimit, content } = policy;
  return notEmpty({ ...(rateLimit && { rateLimit }), ...(content && { content }) });
}

const notEmpty = (policy: RunPolicy): RunPolicy | null => (Object.keys(policy).length > 0 ? policy : null);

/** The limits of a run: a function can only lower those of the config. */
export function limitsWithin(limits: ExecutionLimits, policy: RunPolicy | null): ExecutionLimits {
  const { timeoutMs = limits.wallMs, memoryMb } = policy ?? {};
  if (timeoutMs >= limits.wallMs && memoryMb === undefined) return limits;
  return { ...limits, wallMs: Math.min(timeoutMs, limits.wallMs), ...(memoryMb && { memoryMb }) };
}

/** The milliseconds until a run that ended this way is repeated. Undefined: it is not. */
export function repeatAfterMs(
  { policy, attempt }: Pick<ExecutionRow, 'policy' | 'attempt'>,
  status: ExecutionStatus,
): number | undefined {
  const { attempts = 1, backoff = '1s', on = repeatedStatuses } = policy?.retry ?? {};
  const made = attempt ?? 1;
  if (made >= attempts || !(on as readonly string[]).includes(status)) return undefined;
  return Math.min(LONGEST_BACKOFF_MS, (backoffMs(made, Number.POSITIVE_INFINITY) * intervalMs(backoff)) / 1_000);
}

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
