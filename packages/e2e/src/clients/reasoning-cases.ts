import './published-code.ts';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, type AgentInputItem, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { upstreamReplies } from '@patchbay/testing';
import { generateText, isStepCount, type ModelMessage, tool } from 'ai';
import OpenAI from 'openai';
import { zodResponsesFunction } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { VendorsInUse } from '../gateway/use-vendors.ts';
import { weatherDescription as description, question, weatherInput } from './client-under-test.ts';
import { askingForWeather } from './scripted-replies.ts';

const signature = 'c2lnbmF0dXJlIG9mIGEgdmVuZG9y';
const thought = { text: 'Two towns, so two calls.', signature };
/** OpenAI encrypts its reasoning, and shows a summary of it. */
const sealed = { text: thought.text, encrypted: signature };
const weather = ({ city }: { readonly city: string }) => `${city === 'Bern' ? 21 : 18} degrees in ${city}`;
const again = 'Are you sure?';
const models = {
  openai: 'openai/gpt-4.1',
  anthropic: 'anthropic/claude-opus-4-6',
  google: 'google/gemini-3.1-flash-lite',
} as const;

/** Asks the model with the tool, and the other one what follows, with all that was said before. */
type Converse = (model: string, other: string) => Promise<void>;

/** The reasoning of a vendor comes back to it, and to no other. */
export function reasoningCases({ server, ...vendors }: VendorsInUse): void {
  const connection = () => ({ baseURL: `${server.running.url}/v1`, apiKey: adminKey });

  const viaOpenAI =
    (options: Pick<OpenAI.Responses.ResponseCreateParams, 'store' | 'include'>): Converse =>
    async (model, other) => {
      const client = new OpenAI({ ...connection(), maxRetries: 0 });
      const tools = [zodResponsesFunction({ name: 'weather', description, parameters: weatherInput })];
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }];
      for (const name of [model, model, other]) {
        const { output } = await client.responses.parse({ model: name, input, tools, ...options });
        input.push(...(output as typeof input));
        const calls = output.filter((item) => item.type === 'function_call');
        for (const { call_id, arguments: json } of calls) {
          input.push({ type: 'function_call_output', call_id, output: weather(weatherInput.parse(JSON.parse(json))) });
        }
        if (calls.length === 0) input.push({ role: 'user', content: again });
      }
    };

  const viaAiSdk: Converse = async (model, other) => {
    const openai = createOpenAI(connection());
    const tools = { weather: tool({ description, inputSchema: weatherInput, execute: weather }) };
    const messages: ModelMessage[] = [{ role: 'user', content: question }];
    for (const name of [model, other]) {
      const body = { model: openai(name), messages, tools, stopWhen: isStepCount(3), maxRetries: 0 };
      messages.push(...(await generateText(body)).responseMessages, { role: 'user', content: again });
    }
  };

  const viaAgents: Converse = async (model, other) => {
    const openAIClient = new OpenAI({ ...connection(), maxRetries: 0 });
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
    const tools = [agentTool({ name: 'weather', description, parameters: weatherInput, execute: weather })];
    let history: AgentInputItem[] = [{ role: 'user', content: question }];
    for (const name of [model, other]) {
      const result = await runner.run(new Agent({ name: 'Weather', model: name, tools }), history);
      history = [...result.history, { role: 'user', content: again }];
    }
  };

  describe.each([
    ['openai, which sends what it has received', viaOpenAI({})],
    ['openai, which stores nothing', viaOpenAI({ store: false, include: ['reasoning.encrypted_content'] })],
    ['@ai-sdk/openai', viaAiSdk],
    ['@openai/agents', viaAgents],
  ] as const)('reasoning by %s', (_, converse) => {
    it.each([
      ['anthropic', 'openai'],
      ['anthropic', 'google'],
      ['google', 'anthropic'],
      ['openai', 'anthropic'],
    ] as const)('of %s comes back to it, and does not reach %s', async (vendor, other) => {
      vendors[vendor].script(askingForWeather(vendor === 'openai' ? sealed : thought));
      vendors[other].script(upstreamReplies.healthy());
      await converse(models[vendor], models[other]);
      const [asked, foreign] = [vendors[vendor].requests.at(-1)?.body, vendors[other].requests.at(-1)?.body];
      expect(asked).toContain('21 degrees in Bern');
      // OpenAI keeps its reasoning by its id, unless it is to store nothing.
      expect(asked).toMatch(vendor === 'openai' ? /c2lnbmF0dXJl|"id":"rs_/ : signature);
      expect(foreign).toContain(again);
      expect(foreign).not.toContain(signature);
      expect(foreign).not.toContain(thought.text);
    });
  });
}
