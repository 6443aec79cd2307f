import './published-code.ts';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import type { VendorsInUse } from '../gateway/use-vendors.ts';
import { question, weatherDescription, weatherInput } from './client-under-test.ts';
import { askingForWeather } from './scripted-replies.ts';

const models = [
  { vendor: 'openai', model: 'openai/gpt-4.1' },
  { vendor: 'anthropic', model: 'anthropic/claude-opus-4-6' },
  { vendor: 'google', model: 'google/gemini-3.1-flash-lite' },
] as const;

const tools = {
  weather: tool({
    description: weatherDescription,
    inputSchema: weatherInput,
    execute: ({ city }) => `${city === 'Bern' ? 21 : 18} degrees in ${city}`,
  }),
};

/** Conversations of clients that name what was returned to them instead of sending it again. */
export function responseCases(vendors: VendorsInUse): void {
  /** The AI SDK as it comes, and the items that it has sent. */
  function connectAiSdk() {
    const sent: { readonly type?: string }[][] = [];
    const openai = createOpenAI({
      baseURL: `${vendors.server.running.url}/v1`,
      apiKey: adminKey,
      fetch: async (url, init) => {
        sent.push(((await new Response(init?.body).json()) as { readonly input: [] }).input);
        return await fetch(url, init);
      },
    });
    return { openai, typesSent: () => sent.at(-1)?.map(({ type = 'message' }) => type) };
  }

  describe.each(models)('a conversation with $model', ({ vendor, model }) => {
    it.each([false, true])('has the texts of earlier turns that are only named; streamed: %s', async (isStreamed) => {
      vendors[vendor].script(askingForWeather());
      const { openai, typesSent } = connectAiSdk();
      const messages: ModelMessage[] = [{ role: 'user', content: question }];
      const turn = async (): Promise<string> => {
        const body = { model: openai(model), messages, tools, stopWhen: isStepCount(3), maxRetries: 0 };
        const result = isStreamed ? streamText(body) : await generateText(body);
        messages.push(...(await result.responseMessages));
        return await result.text;
      };
      expect(await turn()).toBe('Bern is warmer.');
      expect(typesSent()).toEqual([
        'message',
        'function_call',
        'function_call',
        'function_call_output',
        'function_call_output',
      ]);
      messages.push({ role: 'user', content: 'Are you sure?' });
      expect(await turn()).toBe('Bern is warmer.');
      expect(typesSent()?.slice(-2)).toEqual(['item_reference', 'message']);
      // OpenAI keeps what it has returned, and others are sent it.
      const named = vendor === 'openai' ? '"type":"item_reference","id":"msg_' : 'Bern is warmer.';
      expect(vendors[vendor].requests.at(-1)?.body).toContain(named);
    });
  });

  it('openai goes on from a response that OpenAI keeps, and from a conversation that it has compacted', async () => {
    const client = new OpenAI({ baseURL: `${vendors.server.running.url}/v1`, apiKey: adminKey, maxRetries: 0 });
    const model = 'openai/gpt-4.1';
    const first = await client.responses.create({ model, input: question });
    await client.responses.create({ model, input: 'Are you sure?', previous_response_id: first.id });
    expect(vendors.openai.requests.at(-1)?.json).toMatchObject({ previous_response_id: first.id });
    const { output } = await client.responses.compact({ model, input: [{ role: 'user', content: question }] });
    const input = [...output, { role: 'user', content: 'Are you sure?' }] as OpenAI.Responses.ResponseInput;
    const { output_text: text } = await client.responses.create({ model, input });
    expect(text).toBe('Hello from the upstream.');
    expect(vendors.openai.requests.at(-1)?.json).toMatchObject({ input: [{}, { type: 'compaction' }, {}] });
  });
}
