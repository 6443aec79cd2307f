import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Principal } from '@patchbay/contracts/context';
import { type ErrorCode, errorCodes } from '@patchbay/contracts/error-codes';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createRootSecret } from '../app/root-secret.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createIdempotencyService, sweepIdempotencyKeys } from './create-idempotency-service.ts';
import { outcomeOf } from './idempotency-service.ts';

const caller = { id: 'key_a', kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] } as const;
const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"secret":"canary"}' };

const setUp = (storage: Storage = createMemoryStorage(), secret = 'one', alive: readonly string[] = []) => {
  const clock = createStoppedClock();
  const service = createIdempotencyService({
    storage,
    clock,
    logger: silentLogger,
    rootSecret: createRootSecret(secret),
    instance: {
      id: `instance_${secret}`,
      freshUntil: Number.POSITIVE_INFINITY,
      renew: async () => {},
      isAlive: async (owner: string) => alive.includes(owner),
    },
  });
  const begin = (key: string, request = 'body') => service.begin({ caller, endpoint: 'POST /x', key, request });
  const claim = async (key: string) => {
    const begun = await begin(key);
    if ('kept' in begun) throw new Error('there is an answer already');
    return begun.claim;
  };
  const codeOf = (key: string) =>
    begin(key).then(
      (begun) => ('kept' in begun ? 'kept' : 'claim'),
      (error: PatchbayError) => error.code,
    );
  return { service, storage, clock, begin, claim, codeOf, settleLeft: () => service.settleLeft() };
};

describe('the idempotency service', () => {
  it('replays the response for an answered key, and runs a released key again', async () => {
    const { begin, claim, codeOf } = setUp();
    await (await claim('a')).answered(answer);
    expect(await begin('a')).toEqual({ kept: answer });
    await (await claim('b')).release();
    expect(await codeOf('b')).toBe('claim');
    await (await claim('c')).lost();
    expect(await codeOf('c')).toBe('idempotency_answer_lost');
  });

  it('cancels a keyed request of the same caller in all processes on the storage', async () => {
    const listeners = new Set<(name: string | undefined) => void>();
    const signals = {
      send(name: string) {
        for (const heard of listeners) heard(name);
      },
      listen(heard: (name: string | undefined) => void) {
        listeners.add(heard);
        return { close: () => void listeners.delete(heard) };
      },
    };
    const storage = { ...createMemoryStorage(), signals };
    const [here, there] = [setUp(storage, 'one'), setUp(storage, 'two')];
    const cancelled: string[] = [];
    const begin = async ({ service }: typeof here, endpoint: string, who: Principal = caller) => {
      const onCancel = () => void cancelled.push(`${endpoint} of ${who.id}`);
      const begun = await service.begin({ caller: who, endpoint, key: 'a', request: 'body', onCancel });
      return 'claim' in begun ? begun.claim : undefined;
    };
    const other = { ...caller, id: 'key_b' };
    await begin(here, '1');
    await begin(here, '2');
    await begin(here, '1', other);
    const claim = await begin(there, '3');
    expect(here.service.cancel(caller, 'another')).toBe(0);
    expect(here.service.cancel({ ...caller, tenant: tenantId('b') }, 'a')).toBe(0);
    expect(cancelled).toEqual([]);
    expect(here.service.cancel(caller, 'a')).toBe(2);
    expect(cancelled.toSorted()).toEqual(['1 of key_a', '2 of key_a', '3 of key_a']);
    await claim?.release();
    expect(there.service.cancel(other, 'a')).toBe(0);
    expect(cancelled.at(-1)).toBe('1 of key_b');
    expect(cancelled).toHaveLength(4);
  });

  it('drops a response above the size limit and still refuses to run the request again', async () => {
    const { claim, codeOf } = setUp();
    await (await claim('a')).answered({ ...answer, body: 'x'.repeat(1_048_576) });
    expect(await codeOf('a')).toBe('kept');
    await (await claim('b')).answered({ ...answer, body: 'x'.repeat(1_048_577) });
    expect(await codeOf('b')).toBe('idempotency_answer_lost');
  });

  it('tells what another living process works on from what a dead one left behind', async () => {
    const storage = createMemoryStorage();
    await setUp(storage, 'other').claim('a');
    expect(await setUp(storage, 'me', ['instance_other']).codeOf('a')).toBe('idempotency_in_progress');
    expect(await setUp(storage, 'me').codeOf('a')).toBe('idempotency_answer_lost');
  });

  it('reports a response sealed under another root secret as lost', async () => {
    const storage = createMemoryStorage();
    await (await setUp(storage, 'one').claim('a')).answered(answer);
    expect(await setUp(storage, 'two').codeOf('a')).toBe('idempotency_answer_lost');
  });

  it('rejects a sealed response that was moved to another row', async () => {
    const { storage, claim, codeOf } = setUp();
    await (await claim('a')).answered(answer);
    await (await claim('b')).answered(answer);
    const [first, second] = await storage.scanAllTenants('idempotencyKeys', {}, 2);
    if (!first || !second) throw new Error('there are two');
    const set = { answer: second.row.answer };
    await storage.commit(caller.tenant, [{ update: 'idempotencyKeys', id: first.row.id, set }]);
    expect([await codeOf('a'), await codeOf('b')].toSorted()).toEqual(['idempotency_answer_lost', 'kept']);
  });

  it('runs nothing again if the response could not be stored', async () => {
    const storage = createMemoryStorage();
    let broken = false;
    const flaky: Storage = {
      ...storage,
      async commit(tenant, writes) {
        if (broken) throw new PatchbayError('storage_unavailable', 'the disk is full');
        return await storage.commit(tenant, writes);
      },
    };
    const { claim, codeOf } = setUp(flaky);
    const claimed = await claim('a');
    broken = true;
    await claimed.answered(answer);
    expect(await codeOf('b')).toBe('storage_unavailable');
    broken = false;
    expect(await codeOf('a')).toBe('idempotency_answer_lost');
    expect(await codeOf('b')).toBe('claim');
  });

  it('tells other processes the outcome once the storage is back', async () => {
    const storage = createMemoryStorage();
    let broken = false;
    const flaky: Storage = {
      ...storage,
      async commit(tenant, writes) {
        if (!broken) return await storage.commit(tenant, writes);
        // The one whose completion was not recorded.
        if (writes.some((write) => 'insert' in write)) await storage.commit(tenant, writes);
        throw new PatchbayError('storage_unavailable', 'the connection broke');
      },
    };
    const one = setUp(flaky);
    const other = setUp(storage, 'other', ['instance_one']);
    const [answered, freed] = [await one.claim('answered'), await one.claim('freed')];
    broken = true;
    await answered.answered(answer);
    await freed.release();
    for (const key of ['claimed', 'claimed again']) expect(await one.codeOf(key)).toBe('storage_unavailable');
    for (const key of ['answered', 'freed', 'claimed']) expect(await other.codeOf(key)).toBe('idempotency_in_progress');
    broken = false;
    expect(await one.codeOf('claimed again')).toBe('claim');
    await one.settleLeft();
    expect(await other.codeOf('answered')).toBe('idempotency_answer_lost');
    for (const key of ['freed', 'claimed']) expect(await other.codeOf(key)).toBe('claim');
    expect(await other.codeOf('claimed again')).toBe('idempotency_in_progress');
    await one.settleLeft();
    expect(await other.codeOf('claimed again')).toBe('idempotency_in_progress');
  });

  it.each([
    ['before', 'broken'],
    ['after', 'claimed'],
  ] as const)('preserves a claim when another one for its key met a broken connection %s it', async (_, first) => {
    const storage = createMemoryStorage();
    const gates = { broken: Promise.withResolvers<void>(), claimed: Promise.withResolvers<void>() };
    let inserts = 0;
    const flaky: Storage = {
      ...storage,
      async commit(tenant, writes) {
        if (!writes.some((write) => 'insert' in write)) return await storage.commit(tenant, writes);
        inserts += 1;
        if (inserts > 1) {
          const result = await storage.commit(tenant, writes);
          if (inserts === 2) await gates.claimed.promise;
          return result;
        }
        await gates.broken.promise;
        throw new PatchbayError('storage_unavailable', 'the connection broke');
      },
    };
    const { claim, codeOf, settleLeft } = setUp(flaky);
    const outcomes = { broken: codeOf('a'), claimed: claim('a') };
    gates[first].resolve();
    await outcomes[first];
    // The claim of the other process is on disk, and not abandoned.
    await settleLeft();
    expect(await codeOf('a')).toBe('idempotency_in_progress');
    for (const gate of Object.values(gates)) gate.resolve();
    expect(await outcomes.broken).toBe('storage_unavailable');
    await settleLeft();
    expect(await codeOf('a')).toBe('idempotency_in_progress');
    await (await outcomes.claimed).answered(answer);
    await settleLeft();
    expect(await codeOf('a')).toBe('kept');
  });

  it('deletes keys once they have expired, in steps', async () => {
    const { storage, clock, claim } = setUp();
    for (let index = 0; index < 250; index += 1) await (await claim(`old ${index}`)).answered(answer);
    clock.advance(86_399_999);
    await (await claim('young')).answered(answer);
    expect(await sweepIdempotencyKeys(storage, clock)).toBe(0);
    expect(await storage.scanAllTenants('idempotencyKeys', {}, 1_000)).toHaveLength(251);
    clock.advance(1);
    expect(await sweepIdempotencyKeys(storage, clock)).toBe(250);
    expect(await storage.scanAllTenants('idempotencyKeys', {}, 1_000)).toHaveLength(1);
  });
});

describe('the outcome of a failure for the key', () => {
  const codesOf = (outcome: string) =>
    (Object.keys(errorCodes) as ErrorCode[]).filter((code) => outcomeOf(new PatchbayError(code, '')) === outcome);

  it('is kept when code ran or the outcome is unknown', () => {
    const kept = codesOf('answered');
    for (const code of ['function_failed', 'function_timeout', 'function_resource_exceeded', 'internal_error'] as const)
      expect(kept).toContain(code);
  });

  it('frees the key after refusals and failed model calls', () => {
    const free = codesOf('released');
    for (const code of ['input_invalid', 'function_not_found', 'rate_limited', 'overloaded', 'provider_error'] as const)
      expect(free).toContain(code);
  });

  it('is lost when another process closed the execution, which may have run', () => {
    const unavailable = (extensions: JsonObject) =>
      outcomeOf(new PatchbayError('executor_unavailable', '', { extensions }));
    expect(unavailable({ execution: { status: 'interrupted' } })).toBe('lost');
    expect(unavailable({})).toBe('released');
  });

  it('is lost when work may have been interrupted', () => {
    expect(codesOf('lost').toSorted()).toEqual(['client_closed_request', 'shutting_down', 'storage_unavailable']);
  });
});
