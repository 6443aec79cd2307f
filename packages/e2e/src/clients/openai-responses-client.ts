import type OpenAI from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import {
  type Connect,
  faultByClass,
  instructions,
  place,
  question,
  type Tokens,
  weatherDescription,
  weatherInput,
} from './client-under-test.ts';

const asked = { instructions, input: question };

/** The SDK of OpenAI, by its Responses API. It has no runner of tools: its users write this loop. */
export function connectResponses(Client: typeof OpenAI): Connect {
  return ({ url, apiKey }) => {
    const client = new Client({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    return {
      async chat(model) {
        const { output_text: text, usage } = await client.responses.create({ model, ...asked });
        return { text, tokens: tokensOf(usage) };
      },
      async *stream(model, signal) {
        const stream = client.responses.stream({ model, ...asked }, { signal });
        for await (const event of stream) {
          if (event.type === 'response.output_text.delta') yield event.delta;
        }
        return tokensOf((await stream.finalResponse()).usage);
      },
      async useTool({ model, isStreamed, weather }) {
        const tool = zodResponsesFunction({
          name: 'weather',
          description: weatherDescription,
          parameters: weatherInput,
        });
        const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }];
        const body = { model, instructions, tools: [tool] };
        const ask = () =>
          isStreamed
            ? client.responses.stream({ ...body, input }).finalResponse()
            : client.responses.parse({ ...body, input });
        for (;;) {
          const { output, output_text: text } = await ask();
          const calls = output.filter((item) => item.type === 'function_call');
          if (calls.length === 0) return text;
          input.push(...(output as typeof input));
          for (const { call_id, arguments: json } of calls) {
            const result = weather(weatherInput.parse(JSON.parse(json)).city);
            input.push({ type: 'function_call_output', call_id, output: result });
          }
        }
      },
      async parse(model) {
        const body = { model, ...asked, text: { format: zodTextFormat(place, 'place') } };
        return (await client.responses.parse(body)).output_parsed;
      },
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

function tokensOf(usage: OpenAI.Responses.ResponseUsage | undefined): Tokens {
  return { input: usage?.input_tokens, output: usage?.output_tokens };
}
