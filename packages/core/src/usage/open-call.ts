import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ModelInfo, ModelPricing, Usage } from '@patchbay/contracts/provider';
import type { UsageDimensions } from '@patchbay/contracts/rows';
import type { Attributes } from '@patchbay/contracts/telemetry';
import { countRefusal } from '../limits/request-limits.ts';
import { errorTypeOf, type Measuring } from '../telemetry/measuring.ts';
import { type CallEstimate, costNanoUsd, type Reservation, type Reserve } from './budgets.ts';
import { type NotedContext, spend } from './call-records.ts';
import { noUsage, type UsageMeter } from './usage-ledger.ts';

/** Assumed for a response whose length neither the request nor the model limits. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

export interface Metering {
  readonly meter: UsageMeter;
  readonly clock: Clock;
  /** @throws PatchbayError `quota_exceeded`, `rate_limited`. */
  readonly reserve: Reserve;
  readonly measuring: Measuring;
  readonly labelsOf: LabelsOf;
  /** Facts about models, by their ids with provider. */
  readonly infos: ReadonlyMap<string, ModelInfo>;
}

type ModelOperation = 'chat' | 'embeddings';

/** A call that is to be made. */
export interface PlannedCall {
  readonly operation: ModelOperation;
  readonly model: string;
  /** Default: the maximum of the model. */
  readonly maxTokens?: number | undefined;
  /** Number of requested completions. Default 1. */
  readonly choices?: number;
  /** Multiple of the list price, for service tiers that cost more. Default 1. */
  readonly priceFactor?: number;
  /** Approximate usage once this many bytes of the response have arrived. */
  readonly usageOf: (bytes: number) => Usage;
}

interface CallEnd {
  readonly error?: unknown;
  /** Default: that of the plan. */
  readonly factor?: number | undefined;
}

/** One model call, which is reserved and not yet recorded. Only its first end counts. */
export interface OpenCall {
  readonly attributes: Attributes;
  end(outcome: UsageDimensions['outcome'], usage: Usage, more?: CallEnd): void;
  /** @returns the error. @param bytes Bytes of the response that have arrived. */
  failed(error: unknown, bytes?: number): unknown;
  /** Its caller no longer waits for it. */
  cut(bytes: number): void;
  firstChunk(): void;
}

/**
 * Reserve a call before it is made. Returns a promise only if it waits.
 *
 * @throws PatchbayError as `reserve` does.
 */
export function openCall(
  metering: Metering,
  planned: PlannedCall,
  context: NotedContext,
): OpenCall | Promise<OpenCall> {
  const room = metering.meter.ready();
  if (room) return room.then(() => openWithRoom(metering, planned, context));
  return openWithRoom(metering, planned, context);
}

function openWithRoom(metering: Metering, planned: PlannedCall, context: NotedContext): OpenCall | Promise<OpenCall> {
  const refused = (error: unknown): Promise<never> => {
    countRefusal(error, metering.measuring.count);
    return Promise.reject(error);
  };
  try {
    const labels = metering.labelsOf(planned.operation, planned.model);
    const info = metering.infos.get(labels.id);
    const reserving = metering.reserve(context, () => estimateOf(planned, info, context));
    const opened = (reservation: Reservation) =>
      reservedCall(metering, { labels, info }, planned, context, reservation);
    return reserving instanceof Promise ? reserving.then(opened, refused) : opened(reserving);
  } catch (error) {
    return refused(error);
  }
}

function estimateOf(
  { operation, maxTokens, choices = 1, priceFactor = 1, usageOf }: PlannedCall,
  info: ModelInfo | undefined,
  { caller }: RequestContext,
): CallEstimate {
  const limit = maxTokens ?? info?.maxTokens ?? DEFAULT_OUTPUT_TOKENS;
  const inputTokens = usageOf(0).uncachedInputTokens;
  const tokens = { inputTokens, outputTokens: operation === 'embeddings' ? 0 : choices * limit };
  const cost = costNanoUsd(scaled(info?.pricing, priceFactor), {
    ...noUsage,
    ...tokens,
    // An estimate counts four bytes as a token. No text has more tokens than bytes.
    uncachedInputTokens: caller.limits?.budget?.strict ? 4 * inputTokens : inputTokens,
  });
  return { ...tokens, costNanoUsd: cost };
}

function reservedCall(
  { meter, clock, measuring }: Metering,
  { labels, info }: { readonly labels: ModelLabels; readonly info: ModelInfo | undefined },
  { priceFactor = 1, usageOf }: PlannedCall,
  context: NotedContext,
  reservation: Reservation,
): OpenCall {
  const { attributes } = labels;
  const startedAt = clock.monotonic();
  let over = false;
  let hasBegun = false;
  const end: OpenCall['end'] = (outcome, usage, { error, factor = priceFactor } = {}) => {
    if (over) return;
    over = true;
    const durationMs = clock.monotonic() - startedAt;
    const cost = costNanoUsd(scaled(info?.pricing, factor), usage);
    const errorType = outcome === 'completed' ? '' : outcome === 'cancelled' ? 'cancelled' : errorTypeOf(error);
    recordMeasures(measuring, { labels, seconds: durationMs / 1_000, usage, costNanoUsd: cost, errorType });
    // Recorded first, so that spending is always either reserved or counted.
    meter.record(context, {
      kind: 'model',
      functionId: context.execution?.functionId ?? '',
      model: labels.id,
      outcome,
      usage,
      costNanoUsd: cost,
      durationMs,
    });
    spend(context.notes, cost);
    reservation.settle(totalTokens(usage));
  };
  const { signal } = context;
  return {
    attributes,
    end,
    failed(error, bytes = 0) {
      const used = bytes > 0 || isProbablyBilled(error) ? usageOf(bytes) : noUsage;
      end(signal.aborted && !isTimeUp(signal) ? 'cancelled' : 'failed', used, { error });
      return error;
    },
    // The caller did not want the rest, or the time was up.
    cut(bytes) {
      if (!over) end(isTimeUp(signal) ? 'failed' : 'cancelled', usageOf(bytes), { error: signal.reason });
    },
    firstChunk() {
      if (hasBegun) return;
      hasBegun = true;
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      measuring.record('gen_ai.client.operation.time_to_first_chunk', seconds, attributes);
    },
  };
}

/** We gave up on a provider that had the request. */
function isProbablyBilled(error: unknown): boolean {
  return PatchbayError.is(error) && error.upstream?.kind === 'timeout' && !error.upstream.unsent;
}

/** Aborted because the time for models was up, and not by the caller. */
export function isTimeUp({ reason }: AbortSignal): boolean {
  return PatchbayError.is(reason) && reason.upstream?.kind === 'timeout';
}

function totalTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}

function scaled(pricing: ModelPricing | undefined, factor: number): ModelPricing | undefined {
  if (pricing === undefined || factor === 1) return pricing;
  const { input, output, cacheRead, cacheWrite } = pricing;
  return {
    input: input * factor,
    output: output * factor,
    cacheRead: cacheRead === undefined ? undefined : cacheRead * factor,
    cacheWrite: cacheWrite === undefined ? undefined : cacheWrite * factor,
  };
}

interface MeasuredModelCall {
  readonly labels: ModelLabels;
  readonly seconds: number;
  readonly usage: Usage;
  readonly costNanoUsd: number | null;
  /** Empty if the call succeeded. */
  readonly errorType: string;
}

function recordMeasures({ record, count }: Measuring, call: MeasuredModelCall): void {
  const { labels, seconds, usage, costNanoUsd, errorType } = call;
  record('gen_ai.client.operation.duration', seconds, labels.withError(errorType));
  const { uncachedInputTokens: fresh, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const used = (type: string, tokens: number): void => {
    if (tokens > 0) record('gen_ai.client.token.usage', tokens, labels.withTokens(type));
  };
  const charged = (type: string, tokens: number): void => {
    if (tokens > 0) count('patchbay.model.tokens', tokens, labels.withTokens(type));
  };
  used('input', fresh + cacheReadTokens + cacheWriteTokens);
  used('output', outputTokens);
  charged('input', fresh);
  charged('cache_read', cacheReadTokens);
  charged('cache_write', cacheWriteTokens);
  charged('output', outputTokens);
  if (costNanoUsd !== null && costNanoUsd > 0) count('patchbay.model.cost', costNanoUsd / 1e9, labels.attributes);
}

/** The labels of the metrics of one model, as the OpenTelemetry conventions name them. */
interface ModelLabels {
  /** The id of the model, with its provider. */
  readonly id: string;
  readonly attributes: Attributes;
  /** @param errorType Empty if the call succeeded. */
  withError(errorType: string): Attributes;
  withTokens(type: string): Attributes;
}

type LabelsOf = (operation: ModelOperation, model: string) => ModelLabels;

/** A provider has fewer models; more names than this are not kept. */
const MOST_MODELS = 1_000;

/** The labels of the models of a provider, which are the same for every call. */
export function createModelLabels(provider: string): LabelsOf {
  const known: Readonly<Record<ModelOperation, Map<string, ModelLabels>>> = { chat: new Map(), embeddings: new Map() };
  return (operation, model) => {
    const models = known[operation];
    const found = models.get(model);
    if (found) return found;
    const labels = modelLabels(
      `${provider}/${model}`,
      Object.freeze({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
      }),
    );
    if (models.size < MOST_MODELS) models.set(model, labels);
    return labels;
  };
}

function modelLabels(id: string, attributes: Attributes): ModelLabels {
  return {
    id,
    attributes,
    withError: createLabels('error.type', attributes),
    withTokens: createLabels('gen_ai.token.type', attributes),
  };
}

/** The attributes with one more. It has few values: our own codes, and kinds of tokens. */
function createLabels(name: string, attributes: Attributes): (value: string) => Attributes {
  const known = new Map<string, Attributes>();
  return (value) => {
    const found = known.get(value);
    if (found) return found;
    const labels = Object.freeze({ ...attributes, [name]: value });
    known.set(value, labels);
    return labels;
  };
}
