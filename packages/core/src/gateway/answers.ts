import { newId } from '@patchbay/contracts/base/type-id';
import type { ChatResult } from '@patchbay/contracts/provider';
import type { GatewayOperation } from '../events/event-kinds.ts';
import type { FailedAttempt } from './attempt.ts';
import type { Answer, TokenCounts } from './gateway-service.ts';
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

const quoted = (text: string): string => `"${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`;
