import assert from 'node:assert/strict';
import { type App, createRequestContext, newId } from '@patchbay/core';
import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from './create-test-app.ts';

async function open(app: App, token: string) {
  const caller = await app.services.authenticate({ token });
  return createRequestContext({ app, caller, requestId: newId('request') });
}

const source = (code: string) =>
  ({ name: 'f', description: '', input: { type: 'object' }, output: { type: 'object' }, code }) as const;

async function run(test: TestApp, code: string) {
  const context = await open(test.app, test.token());
  const { id } = await test.app.services.functions.create(source(code), context);
  try {
    return await test.app.services.executions.execute(id, { a: 1 }, context);
  } finally {
    context.close();
  }
}

describe('createTestApp', () => {
  it('the models repeat the prompt', async () => {
    await using test = await createTestApp();
    const context = await open(test.app, test.token({ scopes: ['gateway:invoke'] }));
    const { text, model } = await test.app.services.gateway.generate({ prompt: 'Hello' }, context);
    expect([text, model]).toEqual(['You said: Hello', 'test/chat']);
    expect(test.models.requests).toHaveLength(1);
    context.close();
  });

  it.each([
    ['an export', 'export default ({ a }) => ({ b: a })'],
    ['a named export', 'const main = async ({ a }) => ({ b: a }); export { main };'],
    ['a declaration', 'async function f({ a }) { return { b: a } }'],
    ['an expression', '({ a }) => ({ b: a })'],
    ['a generator', 'async function* f({ a }) { yield { b: 5 }; yield { b: a }; }'],
  ])('runs functions in the form of %s', async (_, code) => {
    await using test = await createTestApp();
    expect(await run(test, code)).toMatchObject({ status: 'completed', output: { b: 1 } });
    expect(test.functions.runs.map(({ input }) => input)).toEqual([{ a: 1 }]);
  });

  it('failures of functions match those of every executor', async () => {
    await using test = await createTestApp();
    const code = 'export default () => { throw new Error("no") }';
    await expect(run(test, code)).rejects.toMatchObject({
      code: 'function_failed',
      message: expect.stringContaining('no'),
    });
  });

  it('tenants are isolated, strangers are refused, and parts can be replaced', async () => {
    await using test = await createTestApp({ tenants: { small: { models: { allow: [] } } } });
    const page = { limit: 1, offset: 0, sort: 'createdAt', order: 'asc' } as const;
    await run(test, '() => ({})');
    for (const [tenant, total] of [
      ['test', 1],
      ['other', 0],
    ] as const) {
      const context = await open(test.app, test.token({ tenant }));
      expect((await test.app.services.functions.list(page, context)).total).toBe(total);
      context.close();
    }
    await assert.rejects(test.app.services.authenticate({ token: 'of-nobody' }), { code: 'invalid_token' });
    const small = await open(test.app, test.token({ tenant: 'small' }));
    expect(test.app.services.gateway.models(small)).toEqual([]);
    small.close();
  });
});
