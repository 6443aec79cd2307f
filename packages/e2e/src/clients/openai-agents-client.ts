import './published-code.ts';
import { Agent, type AgentOutputType, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
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

const about = { name: 'Weather', instructions };

/** The Agents SDK of OpenAI, as it comes: by the Responses API. */
export const connectOpenAIAgents: Connect = ({ url, apiKey }) => {
  const openAIClient = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  // Traces would go to OpenAI.
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
  return {
    async chat(model) {
      const { finalOutput, rawResponses } = await runner.run(new Agent({ ...about, model }), question);
      return { text: finalOutput ?? '', tokens: tokensOf(rawResponses) };
    },
    async *stream(model, signal) {
      const result = await runner.run(new Agent({ ...about, model }), question, { stream: true, signal });
      for await (const event of result) {
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') yield event.data.delta;
      }
      await result.completed;
      return tokensOf(result.rawResponses);
    },
    async useTool({ model, isStreamed, weather }) {
      const weatherTool = tool({
        name: 'weather',
        description: weatherDescription,
        parameters: weatherInput,
        execute: ({ city }) => weather(city),
      });
      const agent = new Agent({ ...about, model, tools: [weatherTool] });
      if (!isStreamed) return (await runner.run(agent, question)).finalOutput ?? '';
      const result = await runner.run(agent, question, { stream: true });
      await result.completed;
      return result.finalOutput ?? '';
    },
    async parse(model) {
      const outputType: AgentOutputType = place;
      return (await runner.run(new Agent({ ...about, model, outputType }), question)).finalOutput;
    },
    faultOf: faultByClass({
      authentication: OpenAI.AuthenticationError,
      notFound: OpenAI.NotFoundError,
      badRequest: OpenAI.BadRequestError,
      rateLimit: OpenAI.RateLimitError,
      server: OpenAI.InternalServerError,
    }),
  };
};

function tokensOf(responses: readonly { readonly usage: { inputTokens: number; outputTokens: number } }[]): Tokens {
  const usage = responses.at(-1)?.usage;
  return { input: usage?.inputTokens, output: usage?.outputTokens };
}
