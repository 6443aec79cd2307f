import type { ChatResult, ModelCapability, ToolCall } from '@patchbay/contracts/provider';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createTestGateway } from '../fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider, usage } from '../fixtures/scripted-provider.ts';

const output = {
  type: 'object',
  properties: { title: { type: 'string' }, score: { type: 'integer', minimum: 0 } },
  required: ['title', 'score'],
} as const;
const good = { title: 'Deno', score: 3 };
const messages = [{ role: 'user', content: 'Rate it.' }] as const;
const context = testContext();

const call = (value: object): NonNullable<Parameters<typeof answer>[1]> => ({
  toolCalls: [{ id: 'call_1', name: 'rate', arguments: value } as ToolCall],
  finishReason: 'tool-calls',
});

/** A gateway over one model that gives these responses in turn. */
async function over(capabilities: readonly ModelCapability[], answers: readonly ChatResult[]) {
  const left = [...answers];
  const provider = scriptedProvider([chatModel('one', { capabilities })], {
    chat: () => left.shift() ?? answer('nothing more'),
  });
  const { gateway } = await createTestGateway({ a: provider });
  return { provider, ask: () => gateway.generateObject({ messages, output, outputName: 'rate' }, context) };
}

describe('an object', () => {
  it('a model that supports schemas gets the schema', async () => {
    const { provider, ask } = await over(['chat', 'tools', 'structured-output'], [answer(JSON.stringify(good))]);
    expect(await ask()).toMatchObject({ object: good, model: 'a/one', promptTokens: 3, warnings: [] });
    expect(provider.requests).toMatchObject([{ responseSchema: output, messages }]);
    expect(provider.requests[0]).not.toHaveProperty('tools');
  });

  it('another model gets a tool that it must call', async () => {
    const { provider, ask } = await over(['chat', 'tools'], [answer('', call(good))]);
    expect(await ask()).toMatchObject({ object: good });
    expect(provider.requests).toMatchObject([
      { tools: [{ name: 'rate', parameters: output }], toolChoice: { name: 'rate' } },
    ]);
  });

  it('a model without tools gets instructions, and the object is extracted from its text', async () => {
    const { provider, ask } = await over(['chat'], [answer(`Sure! ${JSON.stringify(good)}`)]);
    const { object, warnings } = await ask();
    expect(object).toEqual(good);
    expect(warnings).toEqual(['the JSON of the model had to be mended']);
    expect(provider.requests[0]?.messages[0]?.content).toContain(JSON.stringify(output));
  });

  it('an object that does not fit is shown to the model with its faults, and both calls are billed', async () => {
    const wrong = JSON.stringify({ title: 'Deno', score: -1 });
    const { provider, ask } = await over(['chat', 'structured-output'], [answer(wrong), answer(JSON.stringify(good))]);
    const result = await ask();
    expect(result).toMatchObject({
      object: good,
      promptTokens: 6,
      completionTokens: 2 * usage.outputTokens,
      warnings: ['the answer did not fit at first; the model was asked again once'],
    });
    expect(provider.requests[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: wrong },
      { role: 'user', content: expect.stringContaining('/output/score must be >= 0') },
    ]);
  });

  it('text without JSON is requested again, through the tool as well', async () => {
    const { provider, ask } = await over(
      ['chat', 'tools'],
      [answer('No.'), answer('', call({})), answer('', call(good))],
    );
    expect(await ask()).toMatchObject({ object: good });
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      content: expect.stringContaining('there is no JSON object in the answer'),
    });
    expect(provider.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'call_1' });
  });

  it('an object that never fits fails with the last faults', async () => {
    const cut = answer('{"title":"De', { finishReason: 'length' });
    const { provider, ask } = await over(['chat', 'structured-output'], [cut, cut, cut, cut]);
    await expect(ask()).rejects.toMatchObject({
      code: 'function_output_invalid',
      errors: [{ pointer: '/output', detail: expect.stringContaining('cut at the limit of tokens') }],
    });
    expect(provider.requests).toHaveLength(3);
  });

  it('the next model is called if the object of one never fits', async () => {
    const bad = scriptedProvider([chatModel('one')], { chat: () => answer('never') });
    const able = scriptedProvider([chatModel('two')], { chat: () => answer('', call(good)) });
    const { gateway } = await createTestGateway({ a: bad, b: able });
    const result = await gateway.generateObject({ messages, output, repairs: 0 }, context);
    expect(result).toMatchObject({ object: good, model: 'b/two' });
    expect(bad.requests).toHaveLength(1);
  });

  it('its schema must be within the profile', async () => {
    const { gateway } = await createTestGateway({ a: scriptedProvider([chatModel('one')], {}) });
    const recursive = { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } as object;
    await expect(gateway.generateObject({ messages, output: recursive }, context)).rejects.toMatchObject({
      code: 'schema_invalid',
      errors: [{ pointer: '/output/properties/a/$ref' }],
    });
  });
});
