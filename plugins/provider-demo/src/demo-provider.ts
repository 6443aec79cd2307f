import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { JsonObject, Schema } from '@patchbay/core/plugin';
import {
  assertSupported,
  type ChatRequest,
  type ChatResult,
  type ContentPart,
  contentText,
  estimateTokens,
  estimateUsage,
  findModel,
  levelSchema,
  type Message,
  type ModelInfo,
  type Provider,
  partsOf,
  providerError,
  type SchemaDialect,
  type Tool,
  toolCallsOf,
} from '@patchbay/core/provider';
import { fillSchema } from './fill-schema.ts';
import { createMaterial, type Filling } from './material.ts';
import {
  cutToBytes,
  cutToCharacters,
  isHeading,
  isQuestion,
  mostCentral,
  nearest,
  overlap,
  type Sentence,
  sentencesOf,
  stem,
  stopWords,
  termsOf,
  wordsOf,
} from './sentences.ts';

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
      if (dimensions !== DIMENSIONS) {
        throw providerError('unsupported', `${name} has ${DIMENSIONS} dimensions`, { parameter: 'dimensions' });
      }
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

type Draft = Pick<ChatResult, 'content'> & { readonly placeholders: readonly string[] };

const penalties = ['frequencyPenalty', 'presencePenalty'] as const;
const samplingNames = ['temperature', 'topP', ...penalties, 'seed', 'reasoningEffort'] as const;
const SHOWN_PLACEHOLDERS = 20;
/** As `estimateTokens` counts. */
const BYTES_PER_TOKEN = 4;

/** The response to a request: the same one each time. The id, `<provider>/<model>`, is for the warnings. */
export function answer(request: ChatRequest, id: string, maxTokens: number): ChatResult {
  const draft = draftOf(request, readConversation(request));
  const { content, finishReason } = limited(draft, request, maxTokens);
  const usage = estimateUsage(request, content);
  return { content, finishReason, usage, warnings: warningsOf(request, draft, id) };
}

function draftOf(request: ChatRequest, conversation: Conversation): Draft {
  const tool = chooseTool(request, conversation);
  if (tool) {
    const { value, placeholders } = filled(tool.parameters, conversation, `the parameters of ${tool.name}`);
    const calls = request.messages.flatMap(({ role, content }) => (role === 'assistant' ? toolCallsOf(content) : []));
    const call = { id: `call_${calls.length + 1}`, name: tool.name, arguments: value as JsonObject };
    return { content: [{ type: 'tool-call', ...call }], placeholders };
  }
  if (request.responseSchema) {
    const { value, placeholders } = filled(request.responseSchema, conversation, 'the response schema');
    return { content: JSON.stringify(value), placeholders };
  }
  const text = answerText(conversation);
  return { content: request.responseJson ? JSON.stringify({ text }) : text, placeholders: [] };
}

/** Keywords that values are made for. */
const dialect: SchemaDialect = {
  keywords: new Set([
    ...(['type', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'default', 'title', 'format'] as const),
    ...(['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
    ...(['multipleOf', 'minItems', 'maxItems', 'additionalProperties'] as const),
  ]),
};

function filled(schema: Schema, { question, toolResults }: Conversation, subject: string): Filling {
  const filling = fillSchema(
    levelSchema(schema, dialect, subject).schema as Schema,
    createMaterial([question, ...toolResults].join('\n\n')),
  );
  if (filling) return filling;
  throw providerError('unsupported', `the demo finds no value that fits ${subject}`);
}

function limited({ content }: Draft, request: ChatRequest, maxTokens: number): Omit<ChatResult, 'usage'> {
  if (typeof content !== 'string') {
    // Half a call is none.
    const isWhole = estimateUsage(request, content).outputTokens <= maxTokens;
    return isWhole ? { content, finishReason: 'tool-calls' } : { content: '', finishReason: 'length' };
  }
  const ends = (request.stop ?? []).map((stop) => content.indexOf(stop)).filter((end) => end >= 0);
  const said = content.slice(0, Math.min(content.length, ...ends));
  const cut = cutToBytes(said, maxTokens * BYTES_PER_TOKEN);
  return { content: cut, finishReason: cut === said ? 'stop' : 'length' };
}

function warningsOf(request: ChatRequest, { placeholders }: Draft, id: string): readonly string[] {
  const warnings = [`${id} is not a language model: it copies, counts, ranks and labels what it was sent`];
  const ignored = samplingNames.filter((name) => request[name] !== undefined);
  if (ignored.length > 0) warnings.push(`${id} draws no samples, so that ${ignored.join(', ')} has no effect`);
  if (placeholders.length > 0) {
    const shown = placeholders.slice(0, SHOWN_PLACEHOLDERS).map((pointer) => pointer || 'the whole value');
    warnings.push(`nothing in the text fits ${shown.join(', ')}: placeholders stand there`);
  }
  return warnings;
}

/** Maximum sentences of an answer, and minimum of a text that is summarized. */
const SENTENCES = 3;
const SUMMARY_SHARE = 4;
const QUOTED_CHARACTERS = 200;

/** A completion from sentences of the conversation, or else a summary of the request. */
function answerText(conversation: Conversation): string {
  const { question, toolResults, texts } = conversation;
  const results = toolResults.join('\n');
  const told = sentencesOf(results);
  if (told.length >= SENTENCES) return `[demo] The tools answered: ${summary(told)}`;
  if (results !== '') return `[demo] The tools answered: ${results.trim()}`;
  const sentences = sentencesOf(question);
  const asked = [sentences.at(-1), sentences[0]].find((sentence) => sentence && isQuestion(sentence));
  if (asked) return nearestSentences(asked, texts);
  const bodies = sentences.filter((sentence) => !isHeading(sentence));
  if (bodies.length >= SENTENCES) return summary(bodies);
  const count = wordsOf(question).length;
  const quoted = cutToCharacters(question.trim(), QUOTED_CHARACTERS);
  return `[demo] ${count} ${count === 1 ? 'word' : 'words'} arrived: ${quoted}`.trimEnd();
}

function nearestSentences(asked: Sentence, texts: readonly string[]): string {
  const candidates = sentencesOf(texts.join('\n')).filter((each) => !isQuestion(each) && !isHeading(each));
  const found = nearest(candidates, asked.terms, SENTENCES);
  if (found.length > 0) return found.map(({ text }) => text).join(' ');
  return `[demo] Nothing in the conversation is near the question: ${cutToCharacters(asked.text, QUOTED_CHARACTERS)}`;
}

function summary(sentences: readonly Sentence[]): string {
  const count = Math.min(5, Math.ceil(sentences.length / SUMMARY_SHARE));
  return mostCentral(sentences, count)
    .map(({ text }) => text)
    .join(' ');
}

/** The texts of a conversation by their role in the response. */
interface Conversation {
  /** The last message of the user. */
  readonly question: string;
  /** Results of the tools since then. */
  readonly toolResults: readonly string[];
  readonly texts: readonly string[];
}

function readConversation({ messages }: ChatRequest): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const texts = messages.map(textOf);
  const toolResults = messages.slice(last + 1).filter(({ role }) => role === 'tool');
  return {
    question: texts[last] ?? '',
    toolResults: toolResults.map(textOf),
    texts,
  };
}

function textOf({ content }: Message): string {
  const parts = partsOf<ContentPart>(content);
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** A word of the tool's name says more than one of its description. */
const NAME_WEIGHT = 3;

/** The tool that shares most words with the question; without any shared word, none unless one is required. */
function chooseTool({ tools = [], toolChoice }: ChatRequest, conversation: Conversation): Tool | undefined {
  if (toolChoice === 'none') return undefined;
  if (typeof toolChoice === 'object') {
    const named = tools.find(({ name }) => name === toolChoice.name);
    if (!named) throw providerError('rejected', `there is no tool ${toolChoice.name}`);
    return named;
  }
  const isRequired = toolChoice === 'required';
  // Results of tools end a free choice: otherwise the conversation would never end.
  if (!isRequired && conversation.toolResults.length > 0) return undefined;
  const terms = new Set(termsOf(conversation.question));
  const scores = tools.map(
    ({ name, description = '' }) => NAME_WEIGHT * overlap(termsOf(name), terms) + overlap(termsOf(description), terms),
  );
  const best = Math.max(0, ...scores);
  return best > 0 || isRequired ? tools[scores.indexOf(best)] : undefined;
}
