import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { PatchbayError } from '../../contracts/errors.ts';
import type { ChatResult } from '../../contracts/provider.ts';
import type { Router, TaskFit } from '../../contracts/router.ts';
import { tenantId } from '../../contracts/tenant.ts';
import { createStoppedClock } from '../../functions/fixtures/function-parts.ts';
import { createTestGateway } from '../fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from '../fixtures/scripted-provider.ts';
import { createTaskFits } from './task-fits.ts';

const HOUR_MS = 3_600_000;
const rate = { tenant: tenantId('acme'), functionName: 'Rate It' };

describe('the fits of a function', () => {
  it('fits are counted by function and model, for one tenant, however the function is named', () => {
    const fits = createTaskFits(createStoppedClock());
    for (const fit of ['fitted', 'mended', 'asked-again', 'failed', 'failed'] as const) fits.add(rate, 'a/one', fit);
    const counts = { asked: 5, mended: 1, askedAgain: 1, failed: 2 };
    expect(fits.read(rate, 'a/one')).toEqual(counts);
    expect(fits.read({ ...rate, functionName: 'rateIt' }, 'a/one')).toEqual(counts);
    expect(fits.read(rate, 'b/two')).toBeUndefined();
    expect(fits.read({ ...rate, functionName: 'other' }, 'a/one')).toBeUndefined();
    expect(fits.read({ ...rate, tenant: tenantId('other') }, 'a/one')).toBeUndefined();
  });

  it('fits fade within hours', () => {
    const clock = createStoppedClock();
    const fits = createTaskFits(clock);
    fits.add(rate, 'a/one', 'failed');
    clock.advance(6 * HOUR_MS);
    expect(fits.read(rate, 'a/one')?.failed).toBeCloseTo(1 / Math.E, 5);
    fits.add(rate, 'a/one', 'fitted');
    expect(fits.read(rate, 'a/one')?.asked).toBeCloseTo(1 + 1 / Math.E, 5);
    clock.advance(48 * HOUR_MS);
    expect(fits.read(rate, 'a/one')).toBeUndefined();
  });

  it('fits are kept for the thousand functions that were called last', () => {
    const fits = createTaskFits(createStoppedClock());
    const task = (number: number) => ({ ...rate, functionName: `task${number}` });
    for (let number = 0; number < 1_000; number += 1) fits.add(task(number), 'a/one', 'fitted');
    fits.add(task(0), 'a/one', 'fitted');
    fits.add(task(1_000), 'a/one', 'fitted');
    expect([0, 1, 2, 1_000].map((number) => fits.read(task(number), 'a/one')?.asked)).toEqual([2, undefined, 1, 1]);
  });
});

const output = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] } as const;
const messages = [{ role: 'user', content: 'Rate it.' }] as const;
const [good, bad] = [answer('{"score":1}'), answer('{"score":"one"}')];

/** The log of one call of a model with these answers in turn. */
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

describe('the fit of an answer', () => {
  it('the fit is logged by the name of the function, without the text of the model', async () => {
    expect(await fitsOf([good])).toEqual([
      { function: 'rate', functionId: undefined, model: 'a/one', fit: 'fitted', asked: 1 },
    ]);
    expect(await fitsOf([bad, good])).toMatchObject([{ function: 'rate', fit: 'asked-again', asked: 2 }]);
    expect(await fitsOf([bad, bad])).toMatchObject([{ function: 'rate', model: 'a/one', fit: 'failed' }]);
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
    expect(told).toEqual([
      ['Rate It', [undefined]],
      ['Rate It', [failed(1)]],
      ['rateIt', [failed(2)]],
      [undefined, [undefined]],
    ]);
  });

  it('the fit is not counted where the provider failed', async () => {
    expect(await fitsOf([new PatchbayError('provider_auth_failed', 'no')])).toEqual([]);
  });
});
