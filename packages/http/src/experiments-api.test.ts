import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

/** The scripted model returns its whole prompt as the city, which reveals the version. */
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const input = { type: 'object', properties: { text: { type: 'string' } } } as const;
const metrics = { wordy: { optimize: 'min' }, note: {} } as const;
const settingsOf = (prompt: string) => ({ model: 'acme/large', prompt, metrics });

describe('an experiment', () => {
  let client: Client;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const [, open] = transportsOfServices[0] as (typeof transportsOfServices)[number];
    const { app } = await createTestApp({ providers: { acme: { use: scriptedProvider } }, limits: { off: true } });
    client = await open(app);
    stop = async () => {
      await client.close();
      await app.host.stop(0);
    };
  });

  afterAll(() => stop());

  const send = async (method: string, path: string, body?: object, as?: 'reader' | 'stranger') =>
    await client.send(method, path, { ...(body && { body }), ...(as && { as }) });

  const judge = async (
    { id: target, output }: { readonly id: string; readonly output: { readonly city: string } },
    values: Readonly<Record<string, number>>,
    metric = 'score',
  ) => {
    const given = await send('POST', '/feedback', { target, metric, value: values[output.city] });
    return { ...given, city: output.city };
  };

  let made = 0;
  const start = async (fields: object = {}) => {
    made += 1;
    const name = `Experiment ${made}`;
    const body = { name, description: '', input, output: place, code: '', settings: settingsOf('one') };
    const { id } = (await send('POST', '/functions', body)).json;
    await send('PUT', `/functions/${id}/settings`, settingsOf('two'));
    await send('PUT', `/functions/${id}/settings/labels/production`, { version: 1 });
    const path = `/functions/${id}/experiment`;
    const started = await send('PUT', path, { variants: [1, 2], minPerVariant: 2, ...fields });
    expect(started.json).toMatchObject({ status: 'running', before: 1, winner: null, leader: null, progress: 0 });
    const ask = async (subject?: string) => {
      const metadata = subject === undefined ? {} : { subject };
      return (await send('POST', `/call/${encodeURIComponent(name)}`, { input: {}, metadata })).json;
    };
    return {
      id,
      path,
      ask,
      read: async () => (await send('GET', path)).json,
      score: async (values: Readonly<Record<string, number>>, metric = 'score') =>
        await judge(await ask(), values, metric),
    };
  };

  it('moves the label to the better version once the evidence suffices, and back on request', async () => {
    const { id, path, ask, read, score } = await start();
    for (let call = 0; call < 500 && (await read()).status === 'running'; call++) await score({ one: 0, two: 1 });
    const ended = await read();
    expect(ended).toMatchObject({ status: 'won', winner: 2, leader: 2, progress: 1, before: 1 });
    expect(ended.variants).toMatchObject([
      { version: 1, mean: 0, share: 0 },
      { version: 2, mean: 1, share: 0 },
    ]);
    expect(ended.endedAt).toEqual(expect.any(String));
    const cities = new Set<string>();
    for (let call = 0; call < 10; call++) cities.add((await ask()).output.city);
    expect([...cities]).toEqual(['two']);
    const audited = (await send('GET', '/audit?action=experiment.ended')).json.data;
    expect(audited[0]).toMatchObject({ resource: { id }, details: { status: 'won', version: 2 } });

    expect((await send('POST', `${path}/rollback`)).json).toMatchObject({ status: 'rolled_back', winner: 2 });
    expect((await ask()).output.city).toBe('one');
    expect(await send('POST', `${path}/rollback`)).toMatchObject({ status: 409, json: { code: 'conflict' } });
  });

  it('inverts a metric of which less is better', async () => {
    const { read, score } = await start({ metric: 'wordy', allocation: 'fixed' });
    for (let call = 0; call < 12; call++) await score({ one: 0, two: 1 }, 'wordy');
    await score({ one: 1, two: 1 });
    const { variants, leader, optimize } = await read();
    expect([leader, optimize]).toEqual([1, 'min']);
    expect(variants).toMatchObject([{ mean: 0 }, { mean: 1 }]);
    expect(variants[0].scores + variants[1].scores).toBe(12);
  });

  it('counts each score once under load, and subtracts deleted ones', async () => {
    const { read, ask } = await start({ allocation: 'fixed' });
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (let batch = 0; batch < 4; batch++)
      answers.push(...(await Promise.all(Array.from({ length: 30 }, () => ask()))));
    const given = await Promise.all(answers.map((answer) => judge(answer, { one: 0.25, two: 1 })));
    expect(given.map(({ status }) => status)).toEqual(given.map(() => 201));
    const [first] = given;
    await send('POST', '/feedback', { target: first?.json.target, value: first?.json.value });
    const counts = (cities: readonly string[]) =>
      ['one', 'two'].map((city) => cities.filter((each) => each === city).length);
    const cities = given.map(({ city }) => city);
    const scores = async () => (await read()).variants.map((each: { readonly scores: number }) => each.scores);
    expect(await scores()).toEqual(counts(cities));
    await send('DELETE', `/feedback/${first?.json.id}`);
    expect(await scores()).toEqual(counts(cities.slice(1)));
    expect(await read()).toMatchObject({ status: 'running', variants: [{ mean: 0.25 }, { mean: 1 }] });
  });

  it('keeps a subject on one version, whichever client names it', async () => {
    const { id, ask } = await start({ allocation: 'fixed' });
    const { name } = (await send('GET', `/functions/${id}`)).json;
    const seen = new Map<string, Set<string>>();
    const see = (subject: string, city: string) => seen.set(subject, (seen.get(subject) ?? new Set()).add(city));
    for (let call = 0; call < 60; call++) {
      const subject = `user ${call % 20}`;
      see(subject, (await ask(subject)).output.city);
      if (call % 3 > 0) continue;
      const common = { model: `fn/${name}`, metadata: { subject } };
      const chat = { ...common, messages: [{ role: 'user', content: '{}' }] };
      const completion = (await send('POST', '/v1/chat/completions', chat)).json;
      see(subject, JSON.parse(completion.choices[0].message.content).city);
      const { output } = (await send('POST', '/v1/responses', { ...common, input: '{}' })).json;
      see(subject, JSON.parse(output[0].content[0].text).city);
    }
    expect([...seen.values()].map((cities) => cities.size)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(new Set([...seen.values()].flatMap((cities) => [...cities]))).toEqual(new Set(['one', 'two']));
  });

  it('ends when its label gets other settings, and not when another label does', async () => {
    const { id, read } = await start();
    await send('PUT', `/functions/${id}/settings/labels/staging`, { version: 2 });
    expect(await read()).toMatchObject({ status: 'running' });
    await send('PUT', `/functions/${id}/settings`, settingsOf('three'));
    expect(await read()).toMatchObject({ status: 'superseded', winner: null, endedAt: expect.any(String) });

    const moved = await start();
    await send('PUT', `/functions/${moved.id}/settings/labels/production`, { version: 2 });
    expect(await moved.read()).toMatchObject({ status: 'superseded' });
    expect((await moved.ask()).output.city).toBe('two');
  });

  it('ends when code takes over the calls of its function', async () => {
    const { id, read } = await start({ label: 'production' });
    const { name, description } = (await send('GET', `/functions/${id}`)).json;
    const body = { name, description, input, output: place, code: 'export default () => ({ city: "code" })' };
    expect((await send('PUT', `/functions/${id}`, { ...body, settings: settingsOf('three') })).status).toBe(200);
    expect(await read()).toMatchObject({ status: 'superseded', endedAt: expect.any(String) });
    expect((await send('GET', `/functions/${id}/settings`)).json).toMatchObject({ version: 3 });
  });

  it('is stopped on request or by another one, and is started only once', async () => {
    const { id, path, read } = await start();
    const { id: first } = await read();
    expect((await send('PUT', path, { variants: [1, 2], minPerVariant: 2 })).json.id).toBe(first);
    const other = (await send('PUT', path, { variants: [1, 2], delta: 0.01 })).json;
    expect(other).toMatchObject({ status: 'running', delta: 0.01, epsilon: 0.05 });
    const [entry] = (await send('GET', '/audit?action=experiment.started')).json.data;
    expect(entry.details).toMatchObject({ experimentId: other.id, stopped: first });
    expect((await send('DELETE', path)).json).toMatchObject({ id: other.id, status: 'stopped' });
    expect(await send('DELETE', path)).toMatchObject({ status: 404, json: { code: 'experiment_not_found' } });
    const { data } = (await send('GET', `${path}s`)).json;
    expect(data.map((each: { readonly status: string }) => each.status)).toEqual(['stopped', 'stopped']);
    await send('DELETE', `/functions/${id}`);
    expect(await send('GET', path)).toMatchObject({ status: 404, json: { code: 'function_not_found' } });
  });

  it('is refused with the member at fault', async () => {
    const { path } = await start();
    const refused = async (body: object) => {
      const { status, json } = await send('PUT', path, body);
      return [status, ...(json.errors ?? []).map(({ pointer }: { readonly pointer: string }) => pointer)];
    };
    expect(await refused({ variants: [1, 9] })).toEqual([400, '/variants/1']);
    expect(await refused({ variants: [1] })).toEqual([400, '/variants']);
    expect(await refused({ variants: [1, 2], metric: 'note' })).toEqual([400, '/metric']);
    expect(await refused({ variants: [1, 2], metric: 'unknown' })).toEqual([400, '/metric']);
    expect(await refused({ variants: [1, 2], label: 'nothing' })).toEqual([400, '/label']);
    expect(await refused({ variants: [1, 2], epsilon: 0 })).toEqual([400, '/epsilon']);
    expect((await send('PUT', path, { variants: [1, 2] }, 'reader')).json.code).toBe('insufficient_scope');
    expect((await send('GET', path, undefined, 'stranger')).json.code).toBe('function_not_found');
    const code = { name: 'With code', description: '', input, output: place, code: 'x', settings: settingsOf('one') };
    const { id } = (await send('POST', '/functions', code)).json;
    expect(await send('PUT', `/functions/${id}/experiment`, { variants: [1, 2] })).toMatchObject({ status: 409 });
  });
});
