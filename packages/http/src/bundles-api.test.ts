import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

const packages = [{ name: '@scope/name', version: '1.0.0-rc.1', integrity: 'files:sha512-AAAA==' }];
const sourceMap = { version: 3, sources: ['code.ts'], names: [], mappings: 'AAAA' };
const bundle = { module: 'export default () => ({});', sourceMap, packages };

describe.each(transportsOfServices)('bundles over %s', (_name, open) => {
  let test: TestApp;
  let client: Client;
  beforeAll(async () => {
    test = await createTestApp();
    client = await open(test.app);
  });
  afterAll(async () => {
    await client.close();
    await test.app.host.stop(0);
  });

  const create = async (fields: object) => await client.send('POST', '/functions', { body: { ...sample, ...fields } });

  it('show their packages, but not their code', async () => {
    const { status, json } = await create({ bundle });
    expect(status).toBe(201);
    expect(json).toMatchObject({ code: sample.code, packages });
    expect(json).not.toHaveProperty('bundle');
    const path = `/functions/${json.id}`;
    expect((await client.send('GET', path)).json).toEqual(json);
    expect((await client.send('GET', `${path}/versions/1`)).json).toMatchObject({ packages });
    const body = { ...json, description: 'as it came' };
    expect((await client.send('PUT', path, { body })).json).toMatchObject({ packages });
    await client.send('PUT', path, { body: { ...sample, code: 'other' } });
    const { data } = (await client.send('GET', `${path}/versions`)).json;
    expect(data.map((version: object) => Reflect.get(version, 'packages'))).toEqual([undefined, packages, packages]);
  });

  it('are refused with a pointer to each fault', async () => {
    const [zod] = packages;
    const faulty = {
      module: '',
      sourceMap: { version: 2, sources: [], mappings: 'AAAA' },
      packages: [
        { ...zod, name: '../zod' },
        { ...zod, version: '1 || 2' },
        { ...zod, integrity: 'md5-AAAA' },
        { name: 'zod', version: '1.0.0' },
      ],
      more: true,
    };
    const { status, json } = await create({ bundle: faulty });
    expect(status).toBe(400);
    expect(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/bundle/module',
      '/bundle/more',
      '/bundle/packages/0/name',
      '/bundle/packages/1/version',
      '/bundle/packages/2/integrity',
      '/bundle/packages/3/integrity',
      '/bundle/sourceMap/sources',
      '/bundle/sourceMap/version',
    ]);
    const sources = { ...sourceMap, sources: ['a.ts', 'b.ts'] };
    expect((await create({ bundle: { ...bundle, sourceMap: sources } })).json).toMatchObject({
      code: 'code_invalid',
      errors: [{ pointer: '/bundle/sourceMap/sources', code: 'no_code' }],
    });
  });

  it('raise the body limit for themselves alone', async () => {
    const module = `export default () => ({}); // ${'x'.repeat(3_000_000)}`;
    expect((await create({ bundle: { ...bundle, module } })).status).toBe(201);
    const large = `// ${'x'.repeat(6_000_000)}`;
    expect((await create({ bundle: { ...bundle, module: large } })).json).toMatchObject({
      code: 'code_invalid',
      errors: [{ pointer: '/bundle/module', code: 'too_large' }],
    });
    expect((await create({ bundle: { ...bundle, module: 'x'.repeat(8_388_608) } })).json.code).toBe('body_too_large');
    expect((await create({ description: 'x'.repeat(1_048_576) })).json.code).toBe('body_too_large');
  });

  it('run in a test of a function that is not stored', async () => {
    const { input, output, code } = sample;
    const send = async (given: object) =>
      await client.send('POST', '/functions/test', {
        body: { function: { input, output, code, bundle: given }, input: { text: 'a' } },
      });
    expect((await send(bundle)).json).toMatchObject({ status: 'completed' });
    const sources = { ...sourceMap, sources: ['a.ts', 'b.ts'] };
    expect((await send({ ...bundle, sourceMap: sources })).json.errors).toMatchObject([
      { pointer: '/function/bundle/sourceMap/sources' },
    ]);
  });
});
