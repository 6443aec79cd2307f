import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Principal } from '@patchbay/contracts/context';
import type { CallOutcome, CallRecordRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { createCallRecordService } from './call-record-service.ts';
import { createCallRecorder } from './call-records.ts';
import { createUsageWriter } from './usage-hours.ts';
import { createUsageLedger } from './usage-ledger.ts';

const tenant = tenantId('a');
const caller: Principal = { id: 'key_1', kind: 'api-key', tenant, scopes: ['*'] };
const context = { requestId: 'request_1', caller, signal: new AbortController().signal, logger: silentLogger };
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function createParts() {
  const storage = createMemoryStorage();
  const clock = createStoppedClock();
  const cursors = createCursorCodec({ derive: () => Buffer.alloc(32) });
  let isDraining = false;
  /** A server on the storage. */
  const server = () => {
    const ledger = createUsageLedger({ writer: createUsageWriter(storage, clock), logger: silentLogger });
    stops.push(() => ledger.stop());
    const recorder = createCallRecorder(ledger, clock);
    const end = (id: string, outcome: CallOutcome = 'completed') =>
      recorder.record(context, { id, outcome, durationMs: 1 });
    return { ledger, end };
  };
  const here = server();
  const service = createCallRecordService({
    storage,
    clock,
    cursors,
    ledger: here.ledger,
    contents: { flush: async () => {} },
    box: { open: () => undefined },
    isDraining: () => isDraining,
  });
  const drain = () => {
    isDraining = true;
  };
  return { storage, clock, service, server, drain, end: here.end };
}

type Calls = ReturnType<ReturnType<typeof createParts>['service']['follow']>;

async function next(calls: Calls) {
  const { value } = await calls.next();
  return value as NonNullable<typeof value>;
}

const idOf = async (calls: Calls): Promise<CallRecordRow['id']> => (await next(calls)).call.id;

describe('a followed list of calls', () => {
  it('has the calls of all servers in the order in which they ended, whenever they were written', async () => {
    const { clock, service, server, end } = createParts();
    const other = server();
    end('call_early');
    clock.advance(5_000);
    const calls = service.follow({}, undefined, context);
    stops.push(() => calls.return(undefined));
    end('call_b');
    clock.advance(1);
    end('call_c');
    const first = idOf(calls);
    clock.advance(-1);
    other.end('call_a');
    await other.ledger.flush();
    clock.advance(2_000);
    expect([await first, await idOf(calls), await idOf(calls)]).toEqual(['call_a', 'call_b', 'call_c']);
  });

  it('resumes after a position, begins at a time, and has only the calls that match a filter', async () => {
    const { clock, service, end } = createParts();
    for (let index = 0; index < 250; index += 1) end(`call_${1_000 + index}`, index % 2 === 0 ? 'completed' : 'failed');
    clock.advance(2_000);
    const since = new Date(clock.now() - 60_000).toISOString();
    const calls = service.follow({ since }, undefined, context);
    const seen: string[] = [];
    for (let index = 0; index < 200; index += 1) seen.push(await idOf(calls));
    expect([seen[0], new Set(seen).size]).toEqual(['call_1000', 200]);
    const { place, call } = await next(calls);
    expect(await idOf(service.follow({}, place, context))).toBe('call_1201');
    expect(call.id).toBe('call_1200');
    const failed = service.follow({ since, outcome: 'failed' }, undefined, context);
    expect([await idOf(failed), await idOf(failed)]).toEqual(['call_1001', 'call_1003']);
    expect(() => service.follow({ outcome: 'failed' }, place, context)).toThrow('Last-Event-ID must be the id');
  });

  it('ends with the key of its reader, with its credentials, and when the server stops', async () => {
    const { storage, clock, service, drain } = createParts();
    const key = {
      id: 'key_1',
      revision: 1,
      lookupId: 'lookup',
      name: 'Console',
      secretHash: 'hash',
      scopes: ['*'],
      createdAt: new Date(clock.now()).toISOString(),
      createdBy: 'cli',
      expiresAt: null,
      revokedAt: null,
      ipAddresses: null,
      functions: null,
      rateLimit: null,
      budget: null,
      lastUsedAt: null,
      rotatedAt: null,
      previousHash: null,
      previousUntil: null,
    };
    await storage.commit(tenant, [{ insert: 'apiKeys', row: key }]);
    const waiting = service.follow({}, undefined, context).next();
    const revokedAt = new Date(clock.now()).toISOString();
    await storage.commit(tenant, [{ update: 'apiKeys', id: 'key_1', set: { revokedAt } }]);
    await expect(waiting).rejects.toMatchObject({ code: 'key_revoked' });
    const user: Principal = { ...caller, id: 'user_1', kind: 'user', expiresAt: clock.now() + 10 };
    const expiring = service.follow({}, undefined, { ...context, caller: user }).next();
    clock.advance(10);
    await expect(expiring).rejects.toMatchObject({ code: 'token_expired' });
    const left = new AbortController();
    const abandoned = service.follow({}, undefined, {
      ...context,
      caller: { ...caller, id: 'x' },
      signal: left.signal,
    });
    const pending = abandoned.next();
    left.abort(new Error('gone'));
    await expect(pending).rejects.toThrow('gone');
    const draining = service.follow({}, undefined, { ...context, caller: { ...caller, id: 'x' } }).next();
    drain();
    await expect(draining).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('says that there is nothing new, and ends after five minutes', async () => {
    const { clock, service } = createParts();
    const calls = service.follow({}, undefined, context);
    const idle = calls.next();
    clock.advance(15_000);
    expect(await idle).toEqual({ done: false, value: undefined });
    const end = calls.next();
    clock.advance(300_000);
    expect((await end).done).toBe(true);
  });
});
