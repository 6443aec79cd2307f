import { PatchbayError } from '@patchbay/contracts/errors';
import type { ChatResult } from '@patchbay/contracts/provider';
import type { Router, TaskFit } from '@patchbay/contracts/router';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createTestGateway } from '../fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from '../fixtures/scripted-provider.ts';

const output = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] } as const;
const messages = [{ role: 'user', content: 'Rate it.' }] as const;
const [good, bad] = [answer('{"score":1}'), answer('{"score":"one"}')];

/** The log of one call of a model with these responses in turn. */
async function fitsOf(answers: readonly (ChatResult | PatchbayError)[]) {
  const left = [...answers];
  const chat = () => {
    const next = left.shift() ?? bad;
    if (PatchbayError.is(next)) throw next;
    return next;
  };
  const models = [chatModel('one', { capabilities: ['chat', 'structured-output'] })];
  const { gateway } = await createTestGateway({ a: scriptedProvider(models, { chat }) });
  const logged: object[] = [];
  const ignore = (): void => undefined;
  const logger = {
    debug: ignore,
    info: (_message: string, fields: object = {}) => void logged.push(fields),
    warn: ignore,
    error: ignore,
  };
  const context = { ...testContext(), logger };
  await gateway.generateObject({ messages, output, functionName: 'rate', repairs: 1 }, context).catch(ignore);
  return logged;
}

describe('the fit of a response', () => {
  it('the fit is logged by the name of the function, without the text of the model', async () => {
    expect(await fitsOf([good])).toEqual([
      { function: 'rate', functionId: undefined, model: 'a/one', fit: 'fitted', asked: 1 },
    ]);
    expect(await fitsOf([bad, good])).toMatchObject([{ function: 'rate', fit: 'asked-again', asked: 2 }]);
    expect(await fitsOf([bad, bad])).toMatchObject([{ function: 'rate', model: 'a/one', fit: 'failed' }]);
  });

  it('a trial records no fit, and leaves nothing to chance', async () => {
    const told: [boolean | undefined, TaskFit | undefined][] = [];
    const router: Router = {
      async route({ mayExplore }, candidates) {
        told.push([mayExplore, candidates[0]?.fit]);
        return candidates.map(({ id }) => ({ id, score: 0, reason: '' }));
      },
    };
    const models = [chatModel('one', { capabilities: ['chat', 'structured-output'] })];
    const { gateway } = await createTestGateway({ a: scriptedProvider(models, { chat: () => good }) }, { router });
    const input = { messages, output, functionName: 'Rate It' };
    const trial = { settingsVersion: 1 };
    await gateway.generateObject(input, { ...testContext(), trial });
    await gateway.generateObject(input, testContext());
    await gateway.generateObject(input, { ...testContext(), trial });
    expect(told).toEqual([
      [false, undefined],
      [true, undefined],
      [false, expect.objectContaining({ everAsked: 1 })],
    ]);
  });

  it('the fit reaches the router with the next call of the function, and explain', async () => {
    const told: [string | undefined, readonly (TaskFit | undefined)[]][] = [];
    const router: Router = {
      async route({ task }, candidates) {
        told.push([task, candidates.map(({ fit }) => fit)]);
        return candidates.map(({ id }) => ({ id, score: 0, reason: '' }));
      },
    };
    const models = [chatModel('one', { capabilities: ['chat', 'structured-output'] })];
    const { gateway } = await createTestGateway({ a: scriptedProvider(models, { chat: () => bad }) }, { router });
    const context = testContext();
    const input = { messages, output, functionName: 'Rate It', repairs: 0 };
    await expect(gateway.generateObject(input, context)).rejects.toMatchObject({ code: 'function_output_invalid' });
    await expect(gateway.generateObject(input, context)).rejects.toMatchObject({ code: 'function_output_invalid' });
    await gateway.explain({ functionName: 'rateIt' }, context);
    await gateway.explain({}, context);
    const failed = (count: number) => ({ asked: count, mended: 0, askedAgain: 0, failed: count });
    expect(told).toMatchObject([
      ['Rate It', [undefined]],
      ['Rate It', [failed(1)]],
      ['rateIt', [failed(2)]],
      [undefined, [undefined]],
    ]);
  });

  it('the fit is not counted if the provider failed', async () => {
    expect(await fitsOf([new PatchbayError('provider_auth_failed', 'no')])).toEqual([]);
  });
});
