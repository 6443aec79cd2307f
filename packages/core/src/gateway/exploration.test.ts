import type { Router } from '@patchbay/contracts/router';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createTestGateway } from './fixtures/gateway.ts';
import { answer, chatModel, scriptedProvider } from './fixtures/scripted-provider.ts';

const context = testContext();
const output = { type: 'object', properties: { score: { type: 'integer' } } } as const;
const object = { messages: [{ role: 'user', content: 'Rate it.' }], output, functionName: 'rate' } as const;

/** A gateway, with whether its router could explore and the chance that it had to, request by request. */
async function gatewayWithRouter() {
  const allowed: (boolean | undefined)[] = [];
  const chances: number[] = [];
  const router: Router = {
    async route({ mayExplore }, candidates, random) {
      allowed.push(mayExplore);
      chances.push(random());
      return candidates.map(({ id }) => ({ id, score: 0, reason: 'Comes first.' }));
    },
  };
  const models = [chatModel('one', { capabilities: ['chat', 'structured-output'] })];
  const provider = scriptedProvider(models, { chat: () => answer('{"score":1}') });
  const aliases = { steady: { model: 'auto', routing: { explore: false } } };
  return { allowed, chances, ...(await createTestGateway({ a: provider }, { router, aliases })) };
}

describe('exploration', () => {
  it('a router may explore for a function', async () => {
    const { gateway, allowed } = await gatewayWithRouter();
    await gateway.generateObject(object, context);
    await gateway.generateObject({ ...object, routing: { explore: true } }, context);
    expect(allowed).toEqual([true, true]);
  });

  it('a router may not explore if the request or an alias forbids it', async () => {
    const { gateway, allowed } = await gatewayWithRouter();
    await gateway.generateObject({ ...object, routing: { explore: false } }, context);
    await gateway.generateObject({ ...object, model: 'steady' }, context);
    expect(allowed).toEqual([false, false]);
  });

  it('an explanation is never left to chance', async () => {
    const { gateway, allowed, chances } = await gatewayWithRouter();
    await gateway.explain({ functionName: 'rate' }, context);
    await gateway.explain({ functionName: 'rate', routing: { explore: false } }, context);
    expect(allowed).toEqual([true, false]);
    // The highest value of all, which no share of exploration includes.
    expect(chances).toEqual([1 - Number.EPSILON, 1 - Number.EPSILON]);
  });

  it('chats, which are not tasks, and requests for a named model do not explore', async () => {
    const { gateway, allowed } = await gatewayWithRouter();
    await gateway.chat({ messages: object.messages }, context);
    expect(allowed).toEqual([undefined]);
    await gateway.generateObject({ ...object, model: 'a/one' }, context);
    expect(allowed).toHaveLength(1);
  });
});
