import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
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

const asked = {
  max_tokens: 500,
  system: instructions,
  messages: [{ role: 'user' as const, content: question }],
};

export const connectAnthropic: Connect = ({ url, apiKey }) => {
  const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
  return {
    async chat(model) {
      const { content, usage } = await client.messages.create({ model, ...asked });
      return { text: textOf(content), tokens: tokensOf(usage) };
    },
    async *stream(model, signal) {
      const stream = client.messages.stream({ model, ...asked }, { signal });
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
      }
      return tokensOf((await stream.finalMessage()).usage);
    },
    async useTool({ model, isStreamed, weather }) {
      const tool = betaZodTool({
        name: 'weather',
        description: weatherDescription,
        inputSchema: weatherInput,
        run: ({ city }) => weather(city),
      });
      const body = { model, ...asked, tools: [tool] };
      const { content } = await client.beta.messages.toolRunner({ ...body, stream: isStreamed });
      return textOf(content);
    },
    async parse(model) {
      const body = { model, ...asked, output_config: { format: zodOutputFormat(place) } };
      return (await client.messages.parse(body)).parsed_output;
    },
    listModels: () => client.models.list(),
    faultOf: faultByClass({
      authentication: Anthropic.AuthenticationError,
      notFound: Anthropic.NotFoundError,
      badRequest: Anthropic.BadRequestError,
      rateLimit: Anthropic.RateLimitError,
      server: Anthropic.InternalServerError,
    }),
  };
};

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('');
}

function tokensOf(usage: Pick<Anthropic.Usage, 'input_tokens' | 'output_tokens'>): Tokens {
  return { input: usage.input_tokens, output: usage.output_tokens };
}
