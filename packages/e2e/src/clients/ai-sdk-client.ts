import './published-code.ts';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  type EmbeddingModel,
  embedMany,
  generateText,
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  Output,
  streamText,
  tool,
} from 'ai';
import {
  type Connect,
  type Connection,
  type Fault,
  instructions,
  place,
  question,
  type Tokens,
  weatherDescription,
  weatherInput,
} from './client-under-test.ts';

const asked = { instructions, prompt: question, maxRetries: 0 };

interface Models {
  languageModel(name: string): LanguageModel;
  readonly embeddingModel?: (name: string) => EmbeddingModel;
}

/** The AI SDK with the models of one of its packages. */
function connectAiSdk(modelsOf: (connection: Connection) => Models): Connect {
  return (connection) => {
    const models = modelsOf(connection);
    const model = (name: string) => models.languageModel(name);
    const { embeddingModel } = models;
    return {
      async chat(name) {
        const { text, usage } = await generateText({ model: model(name), ...asked });
        return { text, tokens: tokensOf(usage) };
      },
      async *stream(name, abortSignal) {
        const result = streamText({ model: model(name), ...asked, abortSignal, onError: () => undefined });
        for await (const part of result.stream) {
          if (part.type === 'error') throw part.error;
          if (part.type === 'text-delta') yield part.text;
        }
        return tokensOf(await result.usage);
      },
      async useTool({ model: name, isStreamed, weather }) {
        const tools = {
          weather: tool({
            description: weatherDescription,
            inputSchema: weatherInput,
            execute: ({ city }) => weather(city),
          }),
        };
        const body = { model: model(name), ...asked, tools, stopWhen: isStepCount(3) };
        return isStreamed ? await streamText(body).text : (await generateText(body)).text;
      },
      async parse(name) {
        return (await generateText({ model: model(name), ...asked, output: Output.object({ schema: place }) })).output;
      },
      ...(embeddingModel && {
        embeddings: {
          'in the format that the client prefers': async (name, values) => {
            const { embeddings } = await embedMany({ model: embeddingModel(name), values, maxRetries: 0 });
            return embeddings;
          },
        },
      }),
      faultOf(error) {
        return APICallError.isInstance(error) ? faultByStatus[Math.min(error.statusCode ?? 0, 500)] : undefined;
      },
    };
  };
}

const faultByStatus: Readonly<Record<number, Fault>> = {
  400: 'badRequest',
  401: 'authentication',
  404: 'notFound',
  429: 'rateLimit',
  500: 'server',
};

function tokensOf({ inputTokens, outputTokens }: LanguageModelUsage): Tokens {
  return { input: inputTokens, output: outputTokens };
}

/** `@ai-sdk/openai` as it comes: by the Responses API. */
export const connectAiSdkOpenAI = connectAiSdk(({ url, apiKey }) => {
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
  return { languageModel: (name) => openai(name) };
});

/** `@ai-sdk/openai`, by its older API. */
export const connectAiSdkOpenAIChat = connectAiSdk(({ url, apiKey }) => {
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
  return { languageModel: (name) => openai.chat(name), embeddingModel: (name) => openai.embeddingModel(name) };
});

/** `@ai-sdk/openai-compatible`, as the guide sets it up. */
export const connectAiSdkCompatible = connectAiSdk(({ url, apiKey }) =>
  createOpenAICompatible({
    name: 'patchbay',
    baseURL: `${url}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  }),
);

/** `@ai-sdk/anthropic`. */
export const connectAiSdkAnthropic = connectAiSdk(({ url, apiKey }) => {
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey });
  return { languageModel: (name) => anthropic(name) };
});
