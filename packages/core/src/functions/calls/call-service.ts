import { timestamp } from '@patchbay/contracts/base/clock';
import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { DynamicCalls } from '@patchbay/contracts/tenant-policy';
import { authorize } from '../../access/callers.ts';
import { Batched } from '../../gateway/stream-events.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { type CallRecorder, withContent } from '../../usage/call-records.ts';
import { doTask, type TaskDependencies, withModel } from '../by-model/do-task.ts';
import { executionView } from '../executions/create-execution-service.ts';
import type { ExecutionService } from '../executions/execution-service.ts';
import { modelUseOf } from '../executions/run-execution.ts';
import { createFunctionNames, type NamedFunction } from '../function-names.ts';
import type { NameObserver } from '../observed-names/name-observer.ts';
import { undeclaredOutput } from '../observed-names/observation.ts';
import { type CallEvent, streamCall } from './stream-call.ts';

interface CallInput {
  readonly input: JsonObject;
  /** Output schema of the call, in addition to that of a stored function. */
  readonly output?: Schema;
  /** `<provider>/<model_name>`, or `auto`. */
  readonly model?: string;
  /** As in `RequestContext`. */
  readonly cache?: NonNullable<RequestContext['cache']>;
  /** Logged with the call. Its member `subject` decides the variant of an experiment. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** For a stream: the lines that code logs are events as well. Default: false. */
  readonly logs?: boolean;
}

/** The result of a call by name. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** `stored`: a function was executed; `generated`: a model responded; `cache`: a cached response of a model. */
  readonly source: 'stored' | 'generated' | 'cache';
  readonly functionId: string | null;
  readonly executionId: string | null;
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** The model that answered, if one did. */
  readonly model?: string;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly warnings: readonly string[];
  readonly createdAt: string;
  readonly completedAt: string;
}

/** A streamed call after its first output, or the complete call. */
interface StreamedCall {
  readonly id: string;
  readonly createdAt: string;
  /** Throws if the call fails later; ending the iteration cancels the call. */
  readonly events: Batched<CallEvent>;
}

/** Calls by name, for clients that do not know what implements a function. */
export interface CallService {
  /**
   * Execute the stored function with this name, else with this key; if there is none, call a model, if the
   * policy for such calls allows it.
   *
   * @throws PatchbayError `ambiguous_function_name`; `function_not_found` with the nearest names; `schema_invalid`;
   *   `function_output_invalid` if the output does not match the declared schema; `insufficient_scope` if a model
   *   is needed and the caller may not use one; errors of executing and generating.
   */
  call(name: string, input: CallInput, context: RequestContext): Promise<Call>;
  /** Whether a stored function has this name or key, so that a call of it is an execution. */
  isStored(name: string, context: Pick<RequestContext, 'caller'>): Promise<boolean>;
  /**
   * The same as a stream: the output of a model or a generator arrives incrementally, that of other code at its end.
   *
   * @throws PatchbayError as `call`, for failures before the first output.
   */
  stream(name: string, input: CallInput, context: RequestContext): Promise<StreamedCall>;
}

interface CallServiceDependencies {
  readonly task: TaskDependencies;
  readonly storage: Storage;
  readonly executions: Pick<ExecutionService, 'execute'>;
  readonly settings: Pick<SettingsService, 'resolveName'>;
  readonly schemas: SchemaService;
  readonly clock: Clock;
  /** Which names without a stored function a tenant may call. */
  readonly dynamicCalls: (tenant: TenantId) => DynamicCalls;
  /** Counts calls of unknown names. */
  readonly observer: Pick<NameObserver, 'observe'>;
  readonly records: CallRecorder;
}

const SHOWN_NAME = 200;

export function createCallService(dependencies: CallServiceDependencies): CallService {
  const { storage, executions, settings, schemas, clock, observer, records } = dependencies;
  const names = createFunctionNames(storage);

  const callStored = async (functionId: string, asked: AskedCall, context: RequestContext): Promise<Call> => {
    const { head, call, watcher } = asked;
    const { id, name } = head;
    const row = await executions.execute(functionId, call.input, { ...context, call: { id, name } }, watcher);
    await checkShape(row, call.output, context);
    const { model, cached, tokens, warnings } = modelUseOf(row);
    const ignored = call.model !== undefined && model === undefined;
    return {
      ...head,
      source: cached ? 'cache' : 'stored',
      functionId,
      executionId: row.id,
      input: call.input,
      output: row.output as JsonObject,
      ...(model !== undefined && { model, ...tokens }),
      warnings: ignored ? [codeIgnoresModel] : warnings,
      completedAt: timestamp(clock),
    };
  };

  const checkShape = async (row: ExecutionRow, output: Schema | undefined, { caller }: RequestContext) => {
    if (!output) return;
    const document = { text: jsonTextOf(row.output), role: 'output', pointer: '/output' } as const;
    const { faults: errors } = await schemas.validate(caller.tenant, output, document);
    if (errors.length === 0) return;
    throw new PatchbayError('function_output_invalid', 'the output does not match the output schema of the call', {
      errors,
      extensions: { execution: executionView(row) },
    });
  };

  const generate = async ({ head, call, watcher }: AskedCall, context: RequestContext): Promise<Call> => {
    const { name } = head;
    const { input, output = undeclaredOutput } = call;
    const resolved = settings.resolveName(name);
    const task = { name, description: '', input, output, settings: withModel(resolved, context) };
    const within = { ...withContent(context, resolved), call: { id: head.id, name, input } };
    const { object, model, usage, warnings, cached } = await doTask(dependencies.task, task, within, watcher);
    if (cached) {
      const ended = { id: head.id, model, outcome: 'cached', durationMs: 0 } as const;
      records.record(within, ended, () => ({ request: { input }, response: { output: object } }));
    }
    return {
      ...head,
      source: cached ? 'cache' : 'generated',
      functionId: null,
      executionId: null,
      input,
      output: object,
      model,
      ...usage,
      warnings,
      completedAt: timestamp(clock),
    };
  };

  /** A misspelt name is served by a model, which looks like success. */
  const warnOfNearName = async (
    { head }: AskedCall,
    named: NamedFunction,
    context: RequestContext,
  ): Promise<readonly string[]> => {
    const name = head.name.slice(0, SHOWN_NAME);
    const [nearest] = await named.nearest().catch(() => []);
    if (nearest === undefined) return [];
    context.logger.warn('a call by name resembles a stored function; a model responds', {
      callId: head.id,
      name,
      nearest,
    });
    return [`no function is stored under the name "${name}", so a model answered; did you mean "${nearest}"?`];
  };

  const carryOut = async (asked: AskedCall, context: RequestContext): Promise<Call> => {
    const { head, call } = asked;
    const { id: callId, name } = head;
    if (call.metadata) context.logger.info('call by name', { callId, metadata: call.metadata });
    const { tenant } = context.caller;
    if (call.output) {
      const errors = await schemas.check(tenant, [{ schema: call.output, pointer: '/output' }]);
      if (errors.length > 0) throw refusedOutput(errors);
    }
    // Executing a function includes the model of its settings; any other model requires the gateway's scope.
    if (call.model !== undefined) authorize(context.caller, 'gateway:invoke');
    const named = await names.find(context.caller, name);
    if (named.id !== undefined) return await callStored(named.id, asked, context);
    // A name without a stored function is on no allow list.
    const policy = context.caller.functions ? 'deny' : dependencies.dynamicCalls(tenant);
    const refused = policy === 'deny' || (policy === 'declared' && !call.output);
    if (!refused) authorize(context.caller, 'gateway:invoke');
    observer.observe(tenant, { name, input: call.input, output: call.output, refused });
    if (!refused) {
      const [generated, warnings] = await Promise.all([
        generate(asked, context),
        warnOfNearName(asked, named, context),
      ]);
      return { ...generated, warnings: [...warnings, ...generated.warnings] };
    }
    throw notFound(name, policy, await named.nearest());
  };

  const headOf = (name: string): CallHead => ({ id: newId('call'), name, createdAt: timestamp(clock) });

  return {
    async isStored(name, { caller }) {
      try {
        return (await names.find(caller, name)).id !== undefined;
      } catch (error) {
        if (PatchbayError.is(error) && error.code === 'ambiguous_function_name') return true;
        throw error;
      }
    },

    call: (name, call, context) => carryOut({ head: headOf(name), call }, chosenBy(call, context)),

    async stream(name, call, context) {
      const head = headOf(name);
      const events = await streamCall(
        (watcher, within) => carryOut({ head, call, watcher }, within),
        chosenBy(call, context),
        call.logs,
      );
      return { ...head, events: Batched.from(events) };
    },
  };
}

/** The context with the model options of the call. */
function chosenBy({ model, cache, metadata }: CallInput, context: RequestContext): RequestContext {
  const subject = metadata?.['subject'];
  return {
    ...context,
    ...(model !== undefined && { model }),
    ...(cache !== undefined && { cache }),
    ...(subject !== undefined && { subject }),
  };
}

type CallHead = Pick<Call, 'id' | 'name' | 'createdAt'>;

interface AskedCall {
  readonly head: CallHead;
  readonly call: CallInput;
  readonly watcher?: OutputWatcher;
}

const refusedOutput = (errors: readonly ErrorDetail[]): PatchbayError =>
  new PatchbayError('schema_invalid', 'the declared output is not accepted', { errors });

const codeIgnoresModel = 'the function has code: the model of the call has no effect';

function notFound(name: string, policy: DynamicCalls, nearest: readonly string[]): PatchbayError {
  const why =
    policy === 'declared'
      ? 'and functions that are not stored are served only if the call declares its output'
      : 'and functions that are not stored are not served here';
  const [first] = nearest;
  const hint = first === undefined ? '' : `; did you mean "${first}"?`;
  return new PatchbayError('function_not_found', `there is no function "${name.slice(0, SHOWN_NAME)}", ${why}${hint}`, {
    extensions: { nearest },
  });
}
