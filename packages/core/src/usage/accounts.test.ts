import { tenantId } from '@patchbay/contracts/tenant';
import { expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStoppedClock } from '../functions/fixtures/function-parts.ts';
import { Accounts } from './accounts.ts';

const acme = tenantId('acme');
const HOUR_MS = 3_600_000;

it('idle accounts are forgotten unless something of them is still pending', () => {
  const clock = createStoppedClock();
  const ledger = { flush: async () => {}, exclusively: async <T>(work: () => Promise<T>) => await work() };
  const accounts = new Accounts({ storage: createMemoryStorage(), ledger, clock });
  const accountOf = (keyId: string) => accounts.of({ tenant: acme, keyId }, 'month');
  for (let count = 0; count < 100; count += 1) accountOf(`idle ${count}`);
  const reserved = accountOf('reserved');
  reserved.reserved = 5;
  const recorded = accountOf('recorded');
  recorded.recorded('entry_1', 7);
  const used = accountOf('used');
  clock.advance(HOUR_MS - 1);
  expect(accountOf('used')).toBe(used);
  clock.advance(1);
  accountOf('new');
  expect(accounts.size).toBe(4);
  expect([accountOf('reserved'), accountOf('recorded')]).toEqual([reserved, recorded]);
  reserved.reserved = 0;
  recorded.stored('entry_1');
  clock.advance(HOUR_MS);
  accountOf('newer');
  expect(accounts.size).toBe(1);
});
