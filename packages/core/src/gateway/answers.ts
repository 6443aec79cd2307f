import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { ChatResult, Usage } from '../contracts/provider.ts';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { FailedAttempt } from './attempt.ts';
import type { ValidCall } from './function-call.ts';
import type {
  Answer,
  ChatAnswer,
  FunctionCallAnswer,
  GenerateAnswer,
  ObjectAnswer,
  TokenCounts,
} from './gateway-service.ts';
import type { AskedObject } from './object/ask-for-object.ts';
import type { Plan } from './plan.ts';

const idPrefixes = {
  generate: 'generation',
  generateObject: 'generation',
  generateFunctionCall: 'function_call',
  chat: 'chat',
  embed: 'embedding',
} as const satisfies Readonly<Record<GatewayOperation, string>>;

/** The members that all responses share, without the warnings. */
export type AnswerHead = Omit<Answer, 'warnings'>;

export function answerHead(operation: GatewayOperation, model: string, route: string, clock: Clock): AnswerHead {
  return { id: newId(idPrefixes[operation]), model, createdAt: timestamp(clock), route };
}

function tokenCounts(usage: Usage): TokenCounts {
  const promptTokens = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return { promptTokens, completionTokens: usage.outputTokens, totalTokens: promptTokens + usage.outputTokens };
}

/** The warnings of a response, with one for estimated token counts. */
function warningsOf({ warnings = [], usage }: Pick<ChatResult, 'warnings' | 'usage'>): readonly string[] {
  return usage.estimated
    ? [...warnings, 'the provider did not report usage; the token counts are estimates']
    : warnings;
}

/** The total usage of all completions of one request. */
function totalCounts(results: readonly ChatResult[]): TokenCounts {
  const counts = results.map(({ usage }) => tokenCounts(usage));
  const total = (name: keyof TokenCounts) => counts.reduce((sum, count) => sum + count[name], 0);
  return {
    promptTokens: total('promptTokens'),
    completionTokens: total('completionTokens'),
    totalTokens: total('totalTokens'),
  };
}

export function outputTokens(results: readonly ChatResult[]): number {
  return results.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
}

/** The distinct warnings of all completions of one request, and those about their use. */
function allWarnings(taken: {
  readonly results: readonly ChatResult[];
  readonly warnings: readonly string[];
}): readonly string[] {
  return [...new Set([...taken.results.flatMap(warningsOf), ...taken.warnings])];
}

export function chatAnswer(head: AnswerHead, result: ChatResult): ChatAnswer {
  return {
    ...head,
    message: { role: 'assistant', content: result.content },
    finishReason: result.finishReason,
    ...tokenCounts(result.usage),
    warnings: warningsOf(result),
  };
}

export function generateAnswer(head: AnswerHead, result: ChatResult): GenerateAnswer {
  return {
    ...head,
    text: result.content,
    finishReason: result.finishReason,
    ...tokenCounts(result.usage),
    warnings: warningsOf(result),
  };
}

export function objectAnswer(head: AnswerHead, asked: AskedObject): ObjectAnswer {
  return {
    ...head,
    object: asked.object,
    finishReason: asked.results.at(-1)?.finishReason ?? 'stop',
    ...totalCounts(asked.results),
    warnings: allWarnings(asked),
  };
}

export function functionCallAnswer(head: AnswerHead, valid: ValidCall): FunctionCallAnswer {
  return {
    ...head,
    functionCall: { name: valid.call.name, arguments: valid.call.arguments },
    ...totalCounts(valid.results),
    warnings: allWarnings(valid),
  };
}

/**
 * How a model was chosen, as the value of `Patchbay-Route`: a structured field (RFC 9651) such as
 * `auto;candidates=4;reason="…"` or `named;failed="openai/gpt-5 provider_error"`.
 */
export function routeHeader(plan: Plan, model: string, failed: readonly FailedAttempt[]): string {
  const isAutomatic = plan.chosenBy !== 'caller';
  const parts = [isAutomatic ? 'auto' : 'named'];
  if (isAutomatic) parts.push(`candidates=${plan.models.length}`);
  const reason = plan.ranked.find(({ id }) => id === model)?.reason;
  if (reason) parts.push(`reason=${quoted(reason)}`);
  if (failed.length > 0) parts.push(`failed=${quoted(failed.map((each) => `${each.model} ${each.code}`).join(', '))}`);
  return parts.join(';');
}

const quoted = (text: string): string => `"${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`;
