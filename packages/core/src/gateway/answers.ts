import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatResult } from '@patchbay/contracts/provider';
import type { CallOutcome } from '@patchbay/contracts/rows';
import type { GatewayOperation } from '../events/event-kinds.ts';
import { errorTypeOf } from '../telemetry/measuring.ts';
import { type NotedContext, openNotes } from '../usage/call-records.ts';
import { isTimeUp } from '../usage/open-call.ts';
import type { FailedAttempt } from './attempt.ts';
import type { CallResponse } from './call-content.ts';
import type { GatewayListener, StartedCall } from './gateway-listener.ts';
import type { Answer, GatewayService, TokenCounts, ToolChatInput } from './gateway-service.ts';
import type { Plan } from './plan.ts';

const idPrefixes = {
  generate: 'generation',
  generateObject: 'generation',
  generateFunctionCall: 'function_call',
  chat: 'chat',
  embed: 'embedding',
} as const satisfies Readonly<Record<GatewayOperation, string>>;

/** The members that all responses share, with the warnings that are known before the result. */
export type AnswerHead = Answer;

export function answerHead(
  operation: GatewayOperation,
  { model, createdAt, route, warnings }: Pick<Answer, 'model' | 'createdAt' | 'route' | 'warnings'>,
): AnswerHead {
  return { id: answerId(operation), model, createdAt, route, warnings };
}

export const answerId = (operation: GatewayOperation): string => newId(idPrefixes[operation]);

/** The completions of one request, and the warnings about their use. */
interface Taken {
  readonly results: readonly ChatResult[];
  readonly warnings?: readonly string[];
}

/** The total usage of all completions of one request, and their distinct warnings after those of the head. */
export function totalsOf(
  { results, warnings = [] }: Taken,
  head: Pick<AnswerHead, 'warnings'>,
): TokenCounts & Pick<Answer, 'warnings'> {
  let promptTokens = 0;
  const all = new Set(head.warnings);
  for (const { usage, warnings: own = [] } of results) {
    promptTokens += usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    for (const warning of own) all.add(warning);
    if (usage.estimated) all.add('the provider did not report usage; the token counts are estimates');
  }
  for (const warning of warnings) all.add(warning);
  const completionTokens = outputTokens(results);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, warnings: [...all] };
}

export function outputTokens(results: readonly ChatResult[]): number {
  return results.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
}

interface Chosen {
  readonly plan: Plan;
  readonly model: string;
  readonly failed: readonly FailedAttempt[];
  readonly alias?: string | undefined;
  /** The model that continued the stream of `model`. */
  readonly resumed?: string;
}

/**
 * How a model was chosen, as the value of `Patchbay-Route`: a structured field (RFC 9651) such as
 * `auto;sticky;candidates=4;reason="…"` or `named;failed="openai/gpt-5 provider_error"`.
 */
export function routeHeader({ plan, model, failed, alias, resumed }: Chosen): string {
  const isAutomatic = plan.chosenBy !== 'caller';
  const parts = [isAutomatic ? 'auto' : 'named'];
  if (plan.chosenBy === 'affinity' && model === plan.heldBy) parts.push('sticky');
  if (alias !== undefined) parts.push(`alias=${quoted(alias)}`);
  if (isAutomatic) parts.push(`candidates=${plan.models.length}`);
  const reason = plan.ranked.find(({ id }) => id === model)?.reason;
  if (reason) parts.push(`reason=${quoted(reason)}`);
  if (failed.length > 0) parts.push(`failed=${quoted(failed.map((each) => `${each.model} ${each.code}`).join(', '))}`);
  if (resumed !== undefined) parts.push(`resumed=${quoted(resumed)}`);
  return parts.join(';');
}

/** Most texts can stay as they are, and one search is cheaper than two replacements. */
function quoted(text: string): string {
  const value = needsQuoting.test(text) ? text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&') : text;
  return `"${value}"`;
}

const needsQuoting = /[^ -~]|["\\]/;

/** The answer of a call so far. */
export interface CallAnswer {
  readonly id: string;
  readonly model: string;
  readonly failed: readonly FailedAttempt[];
}

/** Reports the end of a call. Only its first end counts. */
export interface CallEnd {
  /** A model responded: for a stream, its first output arrived. */
  opened(): void;
  answered(answer: CallAnswer, outcome: CallOutcome, tokens?: Partial<TokenCounts>, response?: CallResponse): void;
  /** @param answer Absent if no model has responded. */
  failed(error: unknown, answer?: CallAnswer): void;
}

export function createCallEnd(
  listener: Pick<GatewayListener, 'ended'> | undefined,
  clock: Pick<Clock, 'monotonic'>,
  call: StartedCall,
  context: NotedContext,
): CallEnd {
  const { startedAt, now } = context.notes ?? openNotes(clock);
  let isOver = false;
  let firstOutputMs: number | undefined;
  const report = (
    answer: CallAnswer,
    outcome: CallOutcome,
    tokens?: Partial<TokenCounts>,
    more: { readonly errorCode?: string; readonly response?: CallResponse | undefined } = {},
  ) => {
    if (isOver) return;
    isOver = true;
    listener?.ended(context, {
      ...call,
      ...answer,
      outcome,
      ...more,
      tokens,
      firstOutputMs,
      durationMs: now() - startedAt,
    });
  };
  return {
    opened() {
      firstOutputMs = now() - startedAt;
    },
    answered: (answer, outcome, tokens, response) => report(answer, outcome, tokens, { response }),
    failed: (error, answer = { id: answerId(call.operation), ...lastOf(error) }) =>
      report(answer, outcomeOf(error, context), undefined, { errorCode: errorTypeOf(error) }),
  };
}

/** How a call ends with an error. */
export function outcomeOf(error: unknown, { signal }: Pick<RequestContext, 'signal'>): CallOutcome {
  return signal.aborted && error === signal.reason && !isTimeUp(signal) ? 'cancelled' : 'failed';
}

/** The model that failed last, and all that did, as their error lists them. */
function lastOf(error: unknown): Pick<CallAnswer, 'model' | 'failed'> {
  const { attempts = [] } = PatchbayError.is(error) ? error.extensions : {};
  const failed = attempts as unknown as readonly FailedAttempt[];
  return { model: failed.at(-1)?.model ?? '', failed };
}

type ChatName =
  | 'chat'
  | 'streamChat'
  | 'relayChat'
  | 'relayStreamedChat'
  | 'generateFunctionCall'
  | 'streamFunctionCall';

type Chats = { readonly [N in ChatName]: (...given: Parameters<GatewayService[N]>) => ReturnType<GatewayService[N]> };

type ChatInput = Pick<ToolChatInput, 'model' | 'toolLoop'>;

/** Whether a request has the gateway call the tools. */
export const isLoop = ({ toolLoop }: ChatInput): boolean => toolLoop !== undefined;

/** The gateway, in which something else answers the chats that `isTheirs` picks. */
export function divert(
  gateway: GatewayService,
  isTheirs: (input: ChatInput) => boolean,
  theirs: Partial<Chats>,
): GatewayService {
  const either = <I extends ChatInput, A>(
    own: (input: I, context: RequestContext) => A,
    other: (input: I, context: RequestContext) => A = own,
  ) => {
    return (input: I, context: RequestContext): A => (isTheirs(input) ? other : own)(input, context);
  };
  const own: Chats = gateway;
  return {
    ...gateway,
    chat: either(own.chat, theirs.chat),
    streamChat: either(own.streamChat, theirs.streamChat),
    relayChat: either(own.relayChat, theirs.relayChat),
    relayStreamedChat: either(own.relayStreamedChat, theirs.relayStreamedChat),
    generateFunctionCall: either(own.generateFunctionCall, theirs.generateFunctionCall),
    streamFunctionCall: either(own.streamFunctionCall, theirs.streamFunctionCall),
  };
}
