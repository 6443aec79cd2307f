import { ChatAnthropic } from '@langchain/anthropic';
import { ContextOverflowError } from '@langchain/core/errors';
import { AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import {
  type ClientUnderTest,
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

const asked: BaseMessage[] = [new SystemMessage(instructions), new HumanMessage(question)];

/** LangChain with the chat models of one of its packages. */
function connectLangChain(
  chatModel: (connection: Connection, model: string) => ChatOpenAI | ChatAnthropic,
  embeddingsOf: (connection: Connection) => ClientUnderTest['embeddings'] = () => undefined,
): Connect {
  return (connection) => {
    const embeddings = embeddingsOf(connection);
    return {
      async chat(model) {
        const { text, usage_metadata: usage } = await chatModel(connection, model).invoke(asked);
        return { text, tokens: tokensOf(usage) };
      },
      async *stream(model, signal) {
        let whole: AIMessageChunk | undefined;
        for await (const chunk of await chatModel(connection, model).stream(asked, { signal })) {
          whole = whole ? whole.concat(chunk) : chunk;
          if (chunk.text !== '') yield chunk.text;
        }
        return tokensOf(whole?.usage_metadata);
      },
      async useTool({ model, isStreamed, weather }) {
        const weatherTool = tool(({ city }) => weather(city), {
          name: 'weather',
          description: weatherDescription,
          schema: weatherInput,
        });
        const bound = chatModel(connection, model).bindTools([weatherTool]);
        const ask = async (messages: BaseMessage[]): Promise<AIMessageChunk> => {
          if (!isStreamed) return await bound.invoke(messages);
          let whole = new AIMessageChunk('');
          for await (const chunk of await bound.stream(messages)) whole = whole.concat(chunk);
          return whole;
        };
        const calling = await ask(asked);
        const results: BaseMessage[] = [];
        for (const call of calling.tool_calls ?? [])
          results.push(await weatherTool.invoke({ ...call, type: 'tool_call' }));
        return (await ask([...asked, calling, ...results])).text;
      },
      async parse(model) {
        return await chatModel(connection, model).withStructuredOutput(place).invoke(asked);
      },
      ...(embeddings && { embeddings }),
      faultOf,
    };
  };
}

const faultByCode: Readonly<Record<string, Fault>> = {
  MODEL_AUTHENTICATION: 'authentication',
  MODEL_NOT_FOUND: 'notFound',
  MODEL_RATE_LIMIT: 'rateLimit',
};

function faultOf(error: unknown): Fault | undefined {
  if (ContextOverflowError.isInstance(error)) return 'badRequest';
  const { lc_error_code: code = '', status = 0 } = Object(error) as {
    readonly lc_error_code?: string;
    readonly status?: number;
  };
  return faultByCode[code] ?? (status >= 500 ? 'server' : undefined);
}

function tokensOf(usage: { readonly input_tokens: number; readonly output_tokens: number } | undefined): Tokens {
  return { input: usage?.input_tokens, output: usage?.output_tokens };
}

const configurationOf = ({ url }: Connection) => ({ baseURL: `${url}/v1` });
/** `@langchain/openai`. */
export const connectLangChainOpenAI = connectLangChain(
  (connection, model) => {
    const { apiKey } = connection;
    return new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: configurationOf(connection) });
  },
  (connection) => {
    const configuration = configurationOf(connection);
    const vectors = (format: { readonly encodingFormat?: 'float' | 'base64' }) => (model: string, texts: string[]) =>
      new OpenAIEmbeddings({
        model,
        apiKey: connection.apiKey,
        maxRetries: 0,
        configuration,
        ...format,
      }).embedDocuments(texts);
    return {
      'as floats': vectors({ encodingFormat: 'float' }),
      'in the format that the client prefers': vectors({}),
    };
  },
);

/** `@langchain/anthropic`. */
export const connectLangChainAnthropic = connectLangChain(
  ({ url, apiKey }, model) => new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, maxRetries: 0 }),
);
