import {
  assertSupported,
  type ChatRequest,
  type ChatResult,
  estimateTokens,
  estimateUsage,
  findModel,
  type Provider,
  providerError,
} from '@patchbay/core/provider';
import { answer } from './answer.ts';
import { delay } from './delay.ts';
import { hashEmbedding } from './hash-embedding.ts';
import { models } from './models.ts';

export interface DemoProviderOptions {
  /** Under which the provider is mounted: the prefix of its models. */
  readonly name: string;
  /** Milliseconds before each word of a stream. */
  readonly delayMs: number;
}

/** Answers without any network, and the same each time. It is no model, and says so with every answer. */
export function createDemoProvider({ name, delayMs }: DemoProviderOptions): Provider {
  const chat = (request: ChatRequest, signal: AbortSignal): ChatResult => {
    signal.throwIfAborted();
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    const { uncachedInputTokens } = estimateUsage(request, '', []);
    if (uncachedInputTokens > (model.contextWindow ?? 0)) throw tooLong(model.name);
    return answer(request, `${name}/${model.name}`, request.maxTokens ?? model.maxTokens ?? 0);
  };
  const tooLong = (model: string) => providerError('context_length', `${name}/${model} takes no texts of that length`);

  return {
    models: async () => [...models.values()],

    chat: async (request, { signal }) => chat(request, signal),

    async *stream(request, { signal }) {
      const { content, toolCalls, ...finish } = chat(request, signal);
      for (const text of piecesOf(content)) {
        await delay(delayMs, signal);
        yield { type: 'text', text };
      }
      for (const [index, toolCall] of toolCalls.entries()) {
        for (const text of index === 0 ? piecesOf(JSON.stringify(toolCall.arguments)) : []) {
          await delay(delayMs, signal);
          yield { type: 'tool-arguments', text };
        }
        yield { type: 'tool-call', toolCall };
      }
      yield { type: 'finish', ...finish };
    },

    async embed({ model: modelName, text }, { signal }) {
      signal.throwIfAborted();
      const model = findModel(name, models, modelName, 'embeddings');
      const tokens = estimateTokens(text);
      if (tokens > (model.contextWindow ?? 0)) throw tooLong(model.name);
      const warnings = [`${name}/${model.name} compares words and letters: it knows nothing of meaning`];
      return { embedding: hashEmbedding(text), tokens, warnings };
    },
  };
}

/** Words, with the space after them. JSON has few of these, so it is cut at its members as well. */
function piecesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)|(?<=[[{,])(?=["[{])/);
}
