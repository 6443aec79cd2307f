import { jsonTextOf, rememberText } from '@patchbay/contracts/base/json-text';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { RankedModel } from '@patchbay/contracts/router';
import type { CallOutcome, ModelDecision } from '@patchbay/contracts/rows';
import type { Attributes } from '@patchbay/contracts/telemetry';
import type { ContentSource } from '../call-content/content-recorder.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { WebhookEvent } from '../events/webhook-outbox.ts';
import { errorTypeOf, type Measuring } from '../telemetry/measuring.ts';
import type { CallRecorder, NotedContext } from '../usage/call-records.ts';
import type { FailedAttempt } from './attempt.ts';
import { type CallRequest, type CallResponse, callContent } from './call-content.ts';
import type { Answer, EmbedManyAnswer, TokenCounts } from './gateway-service.ts';
import { splitModelId } from './model-catalog.ts';
import type { ChosenBy, Plan } from './plan.ts';

/** Receives the outcome of each request, regardless of the number of attempts. */
export interface GatewayListener {
  /** A model responded: for a stream, its first output arrived. */
  answered(
    context: RequestContext,
    answering: {
      readonly model: string;
      readonly chosenBy: ChosenBy;
      readonly failed: readonly FailedAttempt[];
    },
  ): void;
  /** The model of a stream failed after its first output. */
  interrupted(context: RequestContext, interruption: Interruption): void;
  /** All attempts failed. */
  unanswered(error: unknown): void;
  /** The response has ended, even if its caller has left it, its stream has failed, or no model has responded. */
  ended(context: NotedContext, call: EndedCall): void;
  /** Whether the response of a call is to be collected while it passes through. */
  collects(context: RequestContext): boolean;
  /** The response is complete. */
  completed(operation: GatewayOperation, context: RequestContext, answer: CompletedAnswer): void;
  /** The request failed, before or during its stream. */
  failed(operation: GatewayOperation, context: RequestContext, error: unknown): void;
}

interface Interruption extends FailedAttempt {
  /** All attempts so far, including those to continue it. */
  readonly failed: readonly FailedAttempt[];
  /** The model that continues the stream. */
  readonly resumed?: string;
}

/** A request to models. */
export interface StartedCall {
  readonly operation: GatewayOperation;
  readonly plan: Pick<Plan, 'chosenBy' | 'ranked'>;
  /** The one that the caller named. */
  readonly alias?: string | undefined;
  readonly request: CallRequest;
}

interface EndedCall extends StartedCall {
  /** Of the answer. */
  readonly id: string;
  /** The model that answered, or failed last. */
  readonly model: string;
  readonly failed: readonly FailedAttempt[];
  readonly outcome: CallOutcome;
  readonly errorCode?: string | undefined;
  /** Absent if there was none, or only a part of one. */
  readonly response?: CallResponse | undefined;
  readonly tokens?: Partial<TokenCounts> | undefined;
  readonly durationMs: number;
  /** Undefined if there was none. */
  readonly firstOutputMs?: number | undefined;
}

export type CompletedAnswer = Answer & (TokenCounts | Pick<EmbedManyAnswer, 'tokens'>);

const generation = { type: 'generation.completed', idName: 'generationId' } as const;
const completions = {
  chat: { type: 'chat.completed', idName: 'chatId' },
  generate: generation,
  generateObject: generation,
  generateFunctionCall: { type: 'function_call.completed', idName: 'functionCallId' },
  embed: { type: 'embedding.completed', idName: 'embeddingId' },
} as const satisfies Readonly<Record<GatewayOperation, { readonly type: string; readonly idName: string }>>;

/** Counts requests to models, records their answers, and events about them for webhooks. */
export function createGatewayListener(
  recorder: Pick<EventRecorder, 'record'>,
  { count }: Pick<Measuring, 'count'>,
  calls: CallRecorder,
): GatewayListener {
  const decisionOf = createDecisionOf();
  const usualLabels = createUsualLabels();
  const record = ({ caller }: RequestContext, event: WebhookEvent) => recorder.record(caller.tenant, event);
  const fallback = (context: RequestContext, model: string, failed: readonly FailedAttempt[]) => {
    const data = { ...requestData(context), model, attempts: failed.map((each) => ({ ...each })) };
    record(context, { type: 'model.fallback', data });
  };
  return {
    answered(context, { model, chosenBy, failed }) {
      // A model that responded on a retry is not a fallback.
      const others = failed.filter((each) => each.model !== model);
      const labels = others.length === 0 ? usualLabels(model, chosenBy) : answerLabels(model, chosenBy, true);
      count('patchbay.gateway.answers', 1, labels);
      for (const { model: other, code } of others) {
        count('patchbay.gateway.fallbacks', 1, { ...attributesOf(other), 'error.type': code });
      }
      if (others.length > 0) fallback(context, model, failed);
    },
    interrupted(context, { model, code, failed, resumed }) {
      const attributes = { 'error.type': code, resumed: resumed !== undefined };
      count('patchbay.gateway.interruptions', 1, { ...attributesOf(model), ...attributes });
      if (resumed === undefined) return;
      fallback(context, resumed, failed);
    },
    ended(context, { operation, plan, alias, failed, tokens, request, response, ...call }) {
      // Vectors are not answers that could be judged.
      if (operation === 'embed') return calls.note(context, call);
      const decided = {
        ...call,
        decision: decisionOf(plan, { alias, trial: context.trial }),
        attempts: failed,
        promptTokens: tokens?.promptTokens,
        completionTokens: tokens?.completionTokens,
      };
      const isKept = calls.contentLevel(context) !== 'off';
      calls.record(context, decided, isKept ? contentOf(context, { request, response, model: call.model }) : undefined);
    },
    collects: (context) => calls.contentLevel(context) !== 'off',
    unanswered: (error) => count('patchbay.gateway.unanswered', 1, { 'error.type': errorTypeOf(error) }),
    completed(operation, context, answer) {
      const { type, idName } = completions[operation];
      const { id, model } = answer;
      record(context, { type, data: { [idName]: id, ...requestData(context), model, ...tokensOf(answer) } });
    },
    failed(operation, context, error) {
      const failure = failureOf(error);
      if (failure === undefined) return;
      record(context, { type: 'gateway.failed', data: { ...requestData(context), operation, ...failure } });
    },
  };
}

/** A server has fewer models; more than this are not kept. */
const MOST_MODELS = 1_000;

/** The labels of responses without a fallback, by their model: the same objects each time, so that their series is found by them. */
function createUsualLabels(): (model: string, chosenBy: ChosenBy) => Attributes {
  const known = new Map<string, Partial<Record<ChosenBy, Attributes>>>();
  return (model, chosenBy) => {
    let ofModel = known.get(model);
    if (!ofModel) {
      ofModel = {};
      if (known.size < MOST_MODELS) known.set(model, ofModel);
    }
    ofModel[chosenBy] ??= Object.freeze(answerLabels(model, chosenBy, false));
    return ofModel[chosenBy];
  };
}

function answerLabels(model: string, chosenBy: ChosenBy, fallback: boolean): Attributes {
  return { ...attributesOf(model), chosen_by: chosenBy, fallback };
}

function attributesOf(id: string) {
  const { provider = '', name = id } = splitModelId(id) ?? {};
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': name };
}

function tokensOf(answer: CompletedAnswer) {
  if ('tokens' in answer) return { tokens: answer.tokens };
  const { promptTokens, completionTokens, totalTokens } = answer;
  return { promptTokens, completionTokens, totalTokens };
}

/** Webhooks receive failures of models, or without an available model, but not errors of the caller. */
function failureOf(error: unknown): { readonly errorCode: string; readonly attempts: JsonValue } | undefined {
  if (!PatchbayError.is(error)) return undefined;
  const { attempts = [] } = error.extensions;
  const wasAsked = Array.isArray(attempts) && attempts.length > 0;
  const isOurs = error.status >= 500 && error.code !== 'shutting_down';
  return wasAsked || isOurs ? { errorCode: error.code, attempts } : undefined;
}

/** Separate from its caller, or every call would allocate for what this closure holds, with content or without. */
function contentOf(...call: Parameters<typeof callContent>): ContentSource {
  return () => callContent(...call);
}

type Chances = NonNullable<ModelDecision['chances']>;

/** How a plan chose its first model, as it is recorded: with all candidates if it was left to chance. */
export type DecisionOf = (
  plan: Pick<Plan, 'chosenBy' | 'ranked'>,
  named?: { readonly alias?: string | undefined; readonly trial?: object | undefined },
) => ModelDecision;

/** The decisions that are kept. */
const MOST_KEPT = 256;

export function createDecisionOf(): DecisionOf {
  /** The last ones, by the first model. Records share them while they wait to be written, which takes a fifth of a second. */
  const kept = new Map<string, ModelDecision>();

  const byChance = (first: RankedModel, ranked: readonly RankedModel[]): ModelDecision => {
    const { id, reason } = first;
    const last = kept.get(id);
    const same = last?.chances && areOf(last.chances, ranked) ? last.chances : undefined;
    if (last && same && last.reason === reason) return last;
    const decision = { by: 'router', chances: same ?? newChances(ranked), reason } as const;
    // Otherwise a storage would search all candidates for cached texts, which takes longer than writing them.
    rememberText(
      decision,
      `{"by":"router","chances":${jsonTextOf(decision.chances)},"reason":${JSON.stringify(reason)}}`,
    );
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(id, decision);
    return decision;
  };

  return ({ chosenBy: by, ranked }, { alias, trial } = {}) => {
    const [first] = ranked;
    const decision = by === 'router' && first?.propensity !== undefined ? byChance(first, ranked) : { by };
    if (alias === undefined && !trial) return decision;
    return { ...decision, ...(alias !== undefined && { alias }), ...(trial && { trial: true as const }) };
  };
}

/** Most candidates have the same probability as their neighbour: written once, it takes half the space. */
function newChances(ranked: readonly RankedModel[]): Chances {
  const chances: [number, ...string[]][] = [];
  let last: [number, ...string[]] | undefined;
  for (const { id, propensity } of ranked) {
    const shared = rounded(propensity);
    if (last?.[0] === shared) {
      last.push(id);
      continue;
    }
    last = [shared, id];
    chances.push(last);
  }
  rememberText(chances, JSON.stringify(chances));
  return chances;
}

/**
 * Whether a ranking has these candidates in this order, with these probabilities. Runs for every decision, so it makes
 * no copies.
 */
function areOf(chances: Chances, ranked: readonly RankedModel[]): boolean {
  let rank = 0;
  for (let group = 0; group < chances.length; group += 1) {
    const shared = chances[group] as Chances[number];
    for (let place = 1; place < shared.length; place += 1) {
      const model = ranked[rank];
      if (model === undefined || model.id !== shared[place]) return false;
      const { propensity } = model;
      if (propensity !== shared[0] && rounded(propensity) !== shared[0]) return false;
      rank += 1;
    }
  }
  return rank === ranked.length;
}

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity = 0): number => Math.round(propensity * 1e9) / 1e9;

/** The fields of a request that every event of the gateway has. */
function requestData({ requestId, caller, execution }: RequestContext): JsonObject {
  return { requestId, callerId: caller.id, executionId: execution?.id ?? null };
}
