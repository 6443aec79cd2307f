import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { definePlugin, type JsonObject, type Plugin, type Schema } from '@patchbay/core/plugin';
import { type ChatDelta, type ChatRequest, type ChatResult, contentText, toolCallsOf } from '@patchbay/core/provider';
import { Arrivals } from './arrivals.ts';

/** A request that has reached a model. */
export interface TestModelRequest {
  readonly request: ChatRequest;
  /** Aborts when the client leaves or the app stops. */
  readonly signal: AbortSignal;
  /** Pieces streamed so far. */
  readonly pieces: () => number;
}

export interface TestModels {
  readonly plugin: Plugin<'provider'>;
  readonly requests: readonly TestModelRequest[];
  /** Resolves when the next request reaches a model. */
  nextRequest(): Promise<TestModelRequest>;
}

/** Prompts that the test models understand. */
export const testPrompts = {
  /** No response until the request is aborted; for a stream, one piece. */
  hang: 'hang',
  /** An endless stream, in pieces of 32 KiB. */
  endless: 'endless',
} as const;

const usage = {
  uncachedInputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 4,
  reasoningTokens: 0,
} as const;

const pricing = { input: 0, output: 0 };

/** Two models in the process of the test, `chat` and `embed`: they respond with the prompt, the same each time. */
export function createTestModels(): TestModels {
  const requests = new Arrivals<TestModelRequest>();
  const plugin = definePlugin({
    name: 'models of @patchbay/testing',
    kind: 'provider',
    version: 1,
    config: { properties: {} },
    create: () => ({
      models: async () => [
        { name: 'chat', capabilities: ['chat', 'tools'], maxTokens: 1_000, contextWindow: 100_000, pricing },
        { name: 'embed', capabilities: ['embeddings'], dimensions: 4, pricing },
      ],
      async chat(request, { signal }) {
        requests.add({ request, signal, pieces: () => 0 });
        if (promptOf(request) === testPrompts.hang) await hang(signal);
        return answer(request);
      },
      async *stream(request, { signal }) {
        let pieces = 0;
        requests.add({ request, signal, pieces: () => pieces });
        for await (const piece of piecesOf(request, signal)) {
          pieces += 1;
          yield piece;
        }
      },
      embed: async ({ texts }) => ({
        embeddings: texts.map((text) => [text.length, 0.25, 0.5, 1]),
        tokens: 3 * texts.length,
      }),
    }),
  });
  return { plugin, requests: requests.all, nextRequest: () => requests.next() };
}

async function* piecesOf(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
  const prompt = promptOf(request);
  while (prompt === testPrompts.endless) {
    signal.throwIfAborted();
    yield { type: 'text', text: 'x'.repeat(32_768) };
    await nextTurn();
  }
  const { content, finishReason } = answer(request);
  for (const text of contentText(content).split(/(?<= )/)) {
    yield { type: 'text', text };
    if (prompt === testPrompts.hang) await hang(signal);
  }
  for (const toolCall of toolCallsOf(content)) yield { type: 'tool-call', toolCall };
  yield { type: 'finish', finishReason, usage };
}

async function hang(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function answer(request: ChatRequest): ChatResult {
  const [tool] = request.toolChoice === 'none' ? [] : (request.tools ?? []);
  if (!tool) return { content: `You said: ${promptOf(request)}`, finishReason: 'stop', usage };
  const values = sampleOf(tool.parameters) as JsonObject;
  const content = [{ type: 'tool-call', id: 'call_1', name: tool.name, arguments: values } as const];
  return { content, finishReason: 'tool-calls', usage };
}

function promptOf({ messages }: ChatRequest): string {
  return contentText(messages.at(-1)?.content ?? '');
}

/** A value of one of the plain shapes that tests declare. */
function sampleOf(schema: Schema): unknown {
  const { type, properties = {}, enum: choices } = schema as { type?: string; properties?: object; enum?: unknown[] };
  if (choices) return choices[0];
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, sampleOf(member as Schema)]));
  }
  return { array: [], number: 1, integer: 1, boolean: true }[type ?? ''] ?? 'text';
}
