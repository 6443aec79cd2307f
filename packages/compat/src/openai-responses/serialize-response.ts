import type { JsonObject } from '@patchbay/core/plugin';
import { partsOf } from '@patchbay/core/provider';
import type { Responses } from 'openai/resources/responses/responses';
import type { ChatAnswer } from '../gateway-types.ts';
import type { CallNames } from './namespaces.ts';
import { type OutputItem, outputItems, withoutProof } from './output-items.ts';
import { type RequestEcho, responseObject } from './response-object.ts';

export interface SerializeOptions {
  readonly echo: RequestEcho;
  readonly withProofs: boolean;
  readonly names: CallNames;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The body of the response to a request that is not streamed. */
export function serializeResponse(answer: ChatAnswer, { echo, withProofs, names, now }: SerializeOptions): JsonObject {
  const items = completeItems(answer, names);
  const output = withProofs ? items : items.map(withoutProof);
  return responseObject(answer, echo, { output, ...outcomeOf(answer, now) });
}

/** The items of an answer, with their proofs. */
export function completeItems({ id, message }: ChatAnswer, names: CallNames): OutputItem[] {
  const { content, parts = partsOf(content) } = message;
  return outputItems(parts, id, names);
}

type Outcome = Pick<Responses.Response, 'status' | 'usage' | 'completed_at'> &
  Partial<Pick<Responses.Response, 'incomplete_details'>>;

/** How a response ended. One that was cut off is `incomplete`, with the reason. */
export function outcomeOf(answer: ChatAnswer, now: number): Outcome {
  const usage = usageOf(answer);
  const reasons = { length: 'max_output_tokens', 'content-filter': 'content_filter' } as const;
  const { finishReason } = answer;
  if (finishReason === 'stop' || finishReason === 'tool-calls') {
    return { status: 'completed', completed_at: Math.floor(now / 1_000), usage };
  }
  return { status: 'incomplete', incomplete_details: { reason: reasons[finishReason] }, usage };
}

function usageOf({ promptTokens, completionTokens, totalTokens, usage }: ChatAnswer): Responses.ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: usage?.cacheReadTokens ?? 0,
      cache_write_tokens: usage?.cacheWriteTokens ?? 0,
    },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  };
}
