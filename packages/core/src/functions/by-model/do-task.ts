import { createHash } from 'node:crypto';
import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import type { Cache } from '@patchbay/contracts/cache';
import type { RequestContext } from '@patchbay/contracts/context';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { Message } from '@patchbay/contracts/message';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import type { GatewayService, ObjectAnswer } from '../../gateway/gateway-service.ts';
import { samplingOf } from '../../gateway/requirements.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';
import { fillTemplate } from '../../settings/check-settings.ts';
import type { Measuring } from '../../telemetry/measuring.ts';
import { noUsage, type UsageMeter } from '../../usage/usage-ledger.ts';

/** A task for a model: one input of one function. */
interface Task extends ToldFunction {
  readonly input: JsonObject;
  readonly output: Schema;
  readonly settings: FunctionSettings;
  /** Of the stored settings. Default 0: there are none. */
  readonly settingsVersion?: number;
}

interface TaskAnswer {
  readonly object: JsonObject;
  readonly model: string;
  readonly usage: Pick<ObjectAnswer, 'promptTokens' | 'completionTokens' | 'totalTokens'>;
  readonly warnings: readonly string[];
  /** No model was called. */
  readonly cached: boolean;
}

export interface TaskDependencies {
  readonly gateway: Pick<GatewayService, 'generateObject'>;
  readonly cache: Cache;
  /** Records cached outputs; providers record model calls. */
  readonly meter: Pick<UsageMeter, 'ready' | 'record'>;
  readonly measuring?: Pick<Measuring, 'count'>;
}

const nothingUsed = { promptTokens: 0, completionTokens: 0, totalTokens: 0 } as const;

/**
 * Run a task with a model, or return a cached output of the same task, if the settings allow it.
 *
 * @param watcher Receives the output while a model writes it.
 * @throws PatchbayError as `GatewayService.generateObject` does.
 */
export async function doTask(
  { gateway, cache, meter, measuring }: TaskDependencies,
  task: Task,
  context: RequestContext,
  watcher?: OutputWatcher,
): Promise<TaskAnswer> {
  const { settings, output } = task;
  const ttlMs = context.trial ? 0 : (settings.cacheSeconds ?? 0) * 1_000;
  // Without a time to live there is nothing to look up, and the key of a large input takes time.
  const key = ttlMs > 0 ? cacheKey(task, context) : '';
  const { cache: wanted = 'default' } = context;
  const kept = ttlMs > 0 && wanted === 'default' ? await recall(cache, key, context) : undefined;
  if (ttlMs > 0 && wanted === 'default')
    measuring?.count('patchbay.answer_cache.lookups', 1, { result: kept ? 'hit' : 'miss' });
  if (kept) {
    const { object, model } = kept;
    await meter.ready();
    const functionId = context.execution?.functionId ?? '';
    const call = { kind: 'model', functionId, model, outcome: 'cached' } as const;
    meter.record(context, { ...call, usage: noUsage, costNanoUsd: 0, durationMs: 0 });
    return { object, model, usage: nothingUsed, warnings: [], cached: true };
  }
  const { model, routing, repairs } = settings;
  const answer = await gateway.generateObject(
    {
      messages: taskConversation(task, task.input, settings),
      output,
      functionName: task.name,
      settingsVersion: task.settingsVersion ?? 0,
      ...(model === undefined ? {} : { model }),
      ...(routing === undefined ? {} : { routing }),
      ...(repairs === undefined ? {} : { repairs }),
      ...samplingOf(settings),
    },
    context,
    watcher,
  );
  const { object, promptTokens, completionTokens, totalTokens, warnings } = answer;
  // A truncated output may be complete the next time, even if it matches the schema.
  if (ttlMs > 0 && wanted !== 'no-store' && answer.finishReason !== 'length')
    await remember(cache, key, { object, model: answer.model }, ttlMs, context);
  const usage = { promptTokens, completionTokens, totalTokens };
  return { object, model: answer.model, usage, warnings, cached: false };
}

/** The settings of a call for which the caller chose the model. The fallbacks of the original model do not apply. */
export function withModel(settings: FunctionSettings, { trial, ...context }: RequestContext): FunctionSettings {
  const model = trial?.model ?? context.model;
  if (model === undefined) return settings;
  const { fallbacks: _, ...routing } = settings.routing ?? {};
  return { ...settings, model, routing };
}

/** Maximum characters of an input that is compared regardless of member order. Larger ones are compared as text. */
const SORTED_LENGTH = 65_536;

/** The key covers everything an output depends on, the tenant first: tenants never share entries. */
function cacheKey({ name, description, input, output, settings }: Task, { caller }: RequestContext): string {
  const text = jsonTextOf(input);
  const told = text.length > SORTED_LENGTH ? text : sorted(input);
  const content = JSON.stringify([caller.tenant, name, description, told, output, settings]);
  return `task:${createHash('sha256').update(content).digest('base64url')}`;
}

/** The same value with sorted object members. */
function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The description of a function for a model. */
interface ToldFunction {
  readonly name: string;
  readonly description: string;
}

/** The messages with which a model runs a function. */
export function taskConversation(
  told: ToldFunction,
  input: JsonObject,
  { system, prompt, examples = [] }: FunctionSettings,
): readonly Message[] {
  const question = (value: JsonObject): Message => ({
    role: 'user',
    content: prompt === undefined ? jsonTextOf(value) : fillTemplate(prompt, { ...told, input: value }),
  });
  return [
    { role: 'system', content: system ?? defaultSystem(told) },
    ...examples.flatMap((example): readonly Message[] => [
      question(example.input),
      { role: 'assistant', content: JSON.stringify(example.output) },
    ]),
    question(input),
  ];
}

function defaultSystem({ name, description }: ToldFunction): string {
  const purpose = description === '' ? '' : ` Its purpose: ${description}`;
  return `You do the work of the function "${name}".${purpose} Each message is an input; answer it with the output.`;
}

/** The output of a model for a task. */
interface RememberedAnswer {
  readonly object: JsonObject;
  readonly model: string;
}

/** The cached output of a key. A failing cache counts as empty: the task can still run. */
async function recall(cache: Cache, key: string, { logger }: RequestContext): Promise<RememberedAnswer | undefined> {
  try {
    const kept = await cache.get(key);
    return kept && read(kept);
  } catch (error) {
    logger.warn('the cache could not be read', { error });
    return undefined;
  }
}

/** Cache an output. It was paid for: a failing cache must not lose it. */
async function remember(
  cache: Cache,
  key: string,
  answer: RememberedAnswer,
  ttlMs: number,
  { logger }: RequestContext,
): Promise<void> {
  try {
    await cache.set(key, Buffer.from(JSON.stringify(answer)), ttlMs);
  } catch (error) {
    logger.warn('the cache could not be written', { error });
  }
}

/** @throws Error for any other content: a shared cache may have other writers. */
function read(kept: Uint8Array): RememberedAnswer {
  const answer = fieldsOf(JSON.parse(Buffer.from(kept).toString()));
  const object = fieldsOf(answer?.['object']);
  if (!object || typeof answer?.['model'] !== 'string') throw new Error('the cached value is not valid');
  return { object: object as JsonObject, model: answer['model'] };
}

type Tasks = Pick<GatewayService, 'generateObject'>;

/** The gateway for functions backed by a model: each call waits for a slot of its caller, as host calls do. */
export function withModelSlots(gateway: Tasks, limits: Pick<RequestLimits, 'wait'>): Tasks {
  return {
    async generateObject(input, context, watcher) {
      const slot = await limits.wait(context.caller, 'model', context.signal);
      try {
        return await gateway.generateObject(input, context, watcher);
      } finally {
        slot.leave();
      }
    },
  };
}
