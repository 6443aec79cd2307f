import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

/** The scripted model returns its whole prompt as the city, which reveals the version. */
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const settingsOf = (prompt: string) => ({ prompt, cacheSeconds: 60 });

describe('a trial', () => {
  let test: TestApp;
  let client: Client;
  let id: string;

  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    await client.send(method, path, { ...(body && { body }), headers });
  const run = async (trial?: object, headers?: Record<string, string>) =>
    await send('POST', `/functions/${id}/execute`, { input: { text: 'a' }, ...(trial && { trial }) }, headers);

  beforeAll(async () => {
    test = await createTestApp({ providers: { acme: { use: scriptedProvider } } });
    const [, open] = transportsOfServices[0] as (typeof transportsOfServices)[number];
    client = await open(test.app);
    const body = { ...sample, name: 'Tried', code: '', output: place, settings: settingsOf('one') };
    id = (await send('POST', '/functions', body)).json.id;
    await send('PUT', `/functions/${id}/settings`, settingsOf('two'));
  });

  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  it('runs with the version and the model that it names, and shows them wherever it is read', async () => {
    const trial = { model: 'acme/large', settingsVersion: 1 };
    const { json } = await run(trial);
    expect(json).toMatchObject({ trial, output: { city: 'one' }, usage: { settingsVersion: 1 } });
    expect((await send('GET', `/executions/${json.id}`)).json.trial).toEqual(trial);
    expect((await send('GET', `/calls/${json.id}`)).json).toMatchObject({
      settingsVersion: 1,
      model: 'acme/large',
      decision: { by: 'caller', trial: true },
    });
    expect((await run()).json).not.toHaveProperty('trial');
  });

  it('keeps what it fixes while it is queued', async () => {
    const { status, json } = await run({ settingsVersion: 1 }, { prefer: 'respond-async' });
    expect([status, json.trial]).toEqual([202, { settingsVersion: 1 }]);
    await expect
      .poll(async () => (await send('GET', `/executions/${json.id}`)).json)
      .toMatchObject({ status: 'completed', output: { city: 'one' }, usage: { settingsVersion: 1 } });
  });

  it('is run by a model even if its output is cached', async () => {
    await run();
    expect((await run()).json.usage).toMatchObject({ cached: true });
    expect((await run({})).json.usage).toMatchObject({ model: 'acme/large', settingsVersion: 2 });
    expect((await run({})).json.usage).not.toHaveProperty('cached');
  });

  it('is not part of an experiment, and feedback about it does not count', async () => {
    const path = `/functions/${id}/experiment`;
    await send('PUT', path, { variants: [1, 2], minPerVariant: 2 });
    for (const settingsVersion of [1, 2]) {
      const { json } = await run({ settingsVersion });
      const feedback = await send('POST', '/feedback', { target: json.id, value: true });
      expect([feedback.status, feedback.json.model, feedback.json.settingsVersion]).toEqual([201, null, null]);
      expect((await send('DELETE', `/feedback/${feedback.json.id}`)).status).toBe(200);
    }
    const usual = await Promise.all(Array.from({ length: 20 }, async () => (await run({})).json.usage.settingsVersion));
    expect(new Set(usual)).toEqual(new Set([2]));
    const { json } = await send('GET', path);
    expect(json.variants.map(({ scores }: { scores: number }) => scores)).toEqual([0, 0]);
    await send('DELETE', path);
  });

  it('needs the scope gateway:invoke to choose a model, and no other to choose a version', async () => {
    const runner = { authorization: `Bearer ${tokenOf('runner')}` };
    const { status, json } = await run({ model: 'acme/large' }, runner);
    expect([status, json.code, json.scope]).toEqual([403, 'insufficient_scope', 'gateway:invoke']);
    expect((await run({ settingsVersion: 1 }, runner)).json.output).toEqual({ city: 'one' });
  });

  it('is refused with what is wrong with it', async () => {
    const faultOf = async (trial: object) => {
      const { status, json } = await run(trial);
      return [status, json.code, json.errors?.[0]?.pointer];
    };
    expect(await faultOf({ settingsVersion: 9 })).toEqual([404, 'settings_not_found', undefined]);
    expect(await faultOf({ settingsVersion: 0 })).toEqual([400, 'invalid_request', '/trial/settingsVersion']);
    expect(await faultOf({ model: '' })).toEqual([400, 'invalid_request', '/trial/model']);
    expect(await faultOf({ label: 'production' })).toEqual([400, 'invalid_request', '/trial/label']);
    expect(await faultOf({ model: 'acme/none' })).toEqual([404, 'model_not_found', undefined]);
    const code = (await send('POST', '/functions', { ...sample, name: 'Code' })).json;
    const coded = await send('POST', `/functions/${code.id}/execute`, {
      input: { text: 'a' },
      trial: { model: 'acme/large' },
    });
    expect([coded.status, coded.json.errors]).toMatchObject([400, [{ pointer: '/trial/model' }]]);
  });
});
