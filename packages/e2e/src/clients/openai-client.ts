import type OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import {
  type Connect,
  faultByClass,
  instructions,
  place,
  question,
  weatherDescription,
  weatherInput,
} from './client-under-test.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: instructions },
  { role: 'user', content: question },
];

/** The SDK of OpenAI, in one of its versions. */
export function connectOpenAI(Client: typeof OpenAI): Connect {
  return ({ url, apiKey }) => {
    const client = new Client({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    const vectors =
      (format: { readonly encoding_format?: 'float' | 'base64' }) =>
      async (model: string, input: string[]): Promise<readonly number[][]> => {
        const { data } = await client.embeddings.create({ model, input, ...format });
        return data.map(({ embedding }) => numbersOf(embedding));
      };

    return {
      async chat(model) {
        const { choices, usage } = await client.chat.completions.create({ model, messages });
        const tokens = { input: usage?.prompt_tokens, output: usage?.completion_tokens };
        return { text: choices[0]?.message.content ?? '', tokens };
      },
      async *stream(model, signal) {
        const body = { model, messages, stream: true, stream_options: { include_usage: true } } as const;
        const chunks = await client.chat.completions.create(body, { signal });
        let tokens = {} as { input: number | undefined; output: number | undefined };
        for await (const { choices, usage } of chunks) {
          if (usage) tokens = { input: usage.prompt_tokens, output: usage.completion_tokens };
          const text = choices[0]?.delta.content;
          if (text) yield text;
        }
        return tokens;
      },
      async useTool({ model, isStreamed, weather }) {
        const tool = zodFunction({
          name: 'weather',
          description: weatherDescription,
          parameters: weatherInput,
          function: ({ city }) => weather(city),
        });
        const body = { model, messages, tools: [tool] };
        const runner = isStreamed
          ? client.chat.completions.runTools({ ...body, stream: true })
          : client.chat.completions.runTools(body);
        return (await runner.finalContent()) ?? '';
      },
      async parse(model) {
        const body = { model, messages, response_format: zodResponseFormat(place, 'place') };
        return (await client.chat.completions.parse(body)).choices[0]?.message.parsed;
      },
      embeddings: {
        'as floats': vectors({ encoding_format: 'float' }),
        'as base64': vectors({ encoding_format: 'base64' }),
        'in the format that the client prefers': vectors({}),
      },
      listModels: () => client.models.list(),
      faultOf: faultByClass({
        authentication: Client.AuthenticationError,
        notFound: Client.NotFoundError,
        badRequest: Client.BadRequestError,
        rateLimit: Client.RateLimitError,
        server: Client.InternalServerError,
      }),
    };
  };
}

/** Who asks for base64 is given base64, whatever the type says. */
function numbersOf(embedding: readonly number[] | string): number[] {
  if (typeof embedding !== 'string') return [...embedding];
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
