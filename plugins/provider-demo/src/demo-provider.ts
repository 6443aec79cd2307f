import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  assertSupported,
  type ChatRequest,
  type ChatResult,
  contentText,
  estimateTokens,
  estimateUsage,
  findModel,
  type ModelInfo,
  type Provider,
  providerError,
  toolCallsOf,
} from '@patchbay/core/provider';
import { answer } from './answer.ts';
import { stem, stopWords, wordsOf } from './sentences.ts';

const CONTEXT_WINDOW = 16_384;
const MAX_TOKENS = 4_096;
const DIMENSIONS = 512;
const shared = {
  pricing: { input: 0, output: 0 },
  quality: 0.01,
  // Chosen automatically only while no other provider has a model.
  lastResort: true,
  createdAt: '2026-11-01T00:00:00.000Z',
  contextWindow: CONTEXT_WINDOW,
} as const;
const models: ReadonlyMap<string, ModelInfo> = new Map<string, ModelInfo>([
  [
    'extractive',
    { ...shared, name: 'extractive', capabilities: ['chat', 'tools', 'structured-output'], maxTokens: MAX_TOKENS },
  ],
  ['hash-embed-512', { ...shared, name: 'hash-embed-512', capabilities: ['embeddings'], dimensions: DIMENSIONS }],
]);

interface DemoProviderOptions {
  /** Prefix of the model ids: the name under which the provider is mounted. */
  readonly name: string;
  /** Milliseconds before each word of a stream. */
  readonly delayMs: number;
}

/** Responds without any network, and the same each time. It is not a language model, and every response says so. */
export function createDemoProvider({ name, delayMs }: DemoProviderOptions): Provider {
  const assertWithinContext = (tokens: number, model: ModelInfo): void => {
    if (tokens <= CONTEXT_WINDOW) return;
    throw providerError('context_length', `${name}/${model.name} takes no texts of that length`);
  };
  const chat = (request: ChatRequest, signal: AbortSignal): ChatResult => {
    signal.throwIfAborted();
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    assertWithinContext(estimateUsage(request, '').uncachedInputTokens, model);
    return answer(request, `${name}/${model.name}`, request.maxTokens ?? MAX_TOKENS);
  };
  async function* paced(text: string, signal: AbortSignal): AsyncIterable<string> {
    // Words, with the space after them. JSON has few of these, so it is cut at its members as well.
    for (const piece of text === '' ? [] : text.split(/(?<=\s)(?=\S)|(?<=[[{,])(?=["[{])/)) {
      if (delayMs > 0) await setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      yield piece;
    }
  }

  return {
    models: async () => [...models.values()],

    chat: async (request, { signal }) => chat(request, signal),

    async *stream(request, { signal }) {
      const { content, ...finish } = chat(request, signal);
      for await (const text of paced(contentText(content), signal)) yield { type: 'text', text };
      for (const toolCall of toolCallsOf(content)) {
        const call = { type: 'tool-arguments', id: toolCall.id, name: toolCall.name } as const;
        for await (const text of paced(JSON.stringify(toolCall.arguments), signal)) yield { ...call, text };
        yield { type: 'tool-call', toolCall };
      }
      yield { type: 'finish', ...finish };
    },

    async embed({ model: modelName, texts, dimensions = DIMENSIONS }, { signal }) {
      signal.throwIfAborted();
      const model = findModel(name, models, modelName, 'embeddings');
      if (dimensions !== DIMENSIONS) throw providerError('unsupported', `${name} has ${DIMENSIONS} dimensions`);
      const tokens = texts.map(estimateTokens);
      for (const each of tokens) assertWithinContext(each, model);
      const warnings = [`${name}/${model.name} compares words: it does not understand meaning`];
      return { embeddings: texts.map(hashEmbedding), tokens: tokens.reduce((sum, each) => sum + each, 0), warnings };
    },
  };
}

/**
 * A vector of the words and pairs of words in a text, each hashed to an index and a sign. Texts are near each other as
 * far as they share these; meaning is not considered.
 */
function hashEmbedding(text: string): readonly number[] {
  const vector = new Float64Array(DIMENSIONS);
  // Each feature counts once, however often a text repeats it.
  for (const [feature, weight] of new Map(featuresOf(text))) {
    const hash = crc32(feature);
    const place = (hash >>> 1) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + (hash & 1 ? weight : -weight);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // Features can cancel each other out. A vector of nothing has no direction, so that it gets one.
  if (length === 0) vector[0] = 1;
  return Array.from(vector, (value) => value / (length || 1));
}

function* featuresOf(text: string): Iterable<readonly [feature: string, weight: number]> {
  let before = '';
  for (const word of wordsOf(text)) {
    const isCommon = stopWords.has(word);
    yield [stem(word), isCommon ? 0.1 : 1];
    yield [`${before} ${stem(word)}`, isCommon ? 0.1 : 0.5];
    before = stem(word);
  }
}
