import type { JsonObject } from '@patchbay/core/plugin';
import type { Usage } from '@patchbay/core/provider';

/**
 * The response of a healthy upstream, independent of vendors. Each dialect turns it into its own JSON and events.
 *
 * @example
 * ```ts
 * import type { UpstreamAnswer } from '@patchbay/testing';
 *
 * const answer: UpstreamAnswer = {
 *   toolCalls: [{ name: 'find_city', arguments: { name: 'Bern' } }],
 *   usage: { uncachedInputTokens: 40, outputTokens: 12 },
 * };
 * ```
 */
export interface UpstreamAnswer {
  /** Default: `Hello from the upstream.`, or nothing where there are tool calls or a refusal. */
  readonly text?: string;
  /** The reasoning before the answer. Dialects leave out what their vendor does not show. */
  readonly reasoning?: UpstreamReasoning;
  /** The model's words if it declines, for vendors that keep them separate from the text. */
  readonly refusal?: string;
  /** String arguments are sent as is, even if they are not JSON; not possible with Google. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject | string }[];
  /** Pieces of several tool calls alternate in a stream, as some servers send them; not possible with Google. */
  readonly alternating?: boolean;
  /** In the vendor's words, such as `max_tokens`. Default: what fits text or tool calls. */
  readonly finishReason?: string;
  /** Default: 12 tokens in, 6 out. `null`: the response does not report it. */
  readonly usage?: Partial<Usage> | null;
  /** Default: eight numbers. */
  readonly embedding?: readonly number[];
  /** Vectors of several texts, in their order. Default: `embedding` for each. */
  readonly embeddings?: readonly (readonly number[])[];
}

export interface UpstreamReasoning {
  readonly text?: string;
  /** Proves to the vendor that the text is its own. */
  readonly signature?: string;
  /** Reasoning that the vendor alone can read. */
  readonly encrypted?: string;
}

/** An answer with every default filled in. */
export interface CompleteAnswer {
  readonly text: string;
  readonly reasoning: UpstreamReasoning | undefined;
  /** Empty where the model does not decline. */
  readonly refusal: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: JsonObject | string }[];
  readonly alternating: boolean;
  readonly finishReason: string | undefined;
  readonly usage: Usage | null;
  readonly embedding: readonly number[];
  readonly embeddings: readonly (readonly number[])[];
}

export function completeAnswer(answer: UpstreamAnswer): CompleteAnswer {
  const { toolCalls = [], alternating = false, refusal = '', embeddings = [] } = answer;
  const isSilent = toolCalls.length > 0 || refusal !== '';
  return {
    text: answer.text ?? (isSilent ? '' : 'Hello from the upstream.'),
    reasoning: answer.reasoning,
    refusal,
    toolCalls,
    alternating,
    finishReason: answer.finishReason,
    usage:
      answer.usage === null
        ? null
        : {
            uncachedInputTokens: 12,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            outputTokens: 6,
            reasoningTokens: 0,
            ...answer.usage,
          },
    embedding: answer.embedding ?? embeddings[0] ?? [0.5, -0.25, 0.125, 0.0625, -0.5, 0.25, 1, -1],
    embeddings,
  };
}

/** The vectors of this many texts. */
export function vectorsOf({ embedding, embeddings }: CompleteAnswer, count: number): readonly (readonly number[])[] {
  return Array.from({ length: count }, (_, index) => embeddings[index] ?? embedding);
}

/** The events of several tool calls: one call after the other, or the first of each, then the second of each. */
export function eventsOfCalls<E>(calls: readonly (readonly E[])[], { alternating }: CompleteAnswer): readonly E[] {
  if (!alternating) return calls.flat();
  const longest = Math.max(0, ...calls.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    calls.flatMap((events) => events.slice(index, index + 1)),
  ).flat();
}

/** Pieces as a model would stream them. Never cuts a character in two. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}
