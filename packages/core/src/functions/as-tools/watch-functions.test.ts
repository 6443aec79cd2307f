import type { Principal } from '@patchbay/contracts/context';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuditLog } from '../../audit/audit-log.ts';
import { createMemoryStorage } from '../../built-in/memory-storage.ts';
import { createCursorCodec } from '../../paging/cursor.ts';
import { contextOf, createStoppedClock, rootSecret } from '../fixtures/function-parts.ts';
import { createWatchFunctions } from './watch-functions.ts';

const context = contextOf('a');

function open() {
  const storage = createMemoryStorage();
  const clock = createStoppedClock();
  const log = createAuditLog({ storage, clock, rootSecret, cursors: createCursorCodec(rootSecret) });
  const watch = createWatchFunctions({ storage, clock });
  const heard: string[] = [];
  const listen = (name: string, caller: Partial<Principal> = {}) => {
    const end = watch(
      { ...context.caller, ...caller },
      {
        onChange: () => heard.push(name),
        onUnauthorized: () => {
          heard.push(`${name} ends`);
          end();
        },
      },
    );
    return end;
  };
  return {
    clock,
    listen,
    change: (id: string) => log.commit(context, [], { action: 'function.updated', resource: { type: 'function', id } }),
    restore: () => log.commit(context, [], { action: 'functions.imported', resource: { type: 'functions', id: '*' } }),
    /** Calls back within a second, by listener. */
    heard: async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return heard.splice(0);
    },
  };
}

describe('a watch of functions', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('covers the functions that the caller can reach', async () => {
    const { listen, change, restore, heard } = open();
    listen('all');
    listen('one', { functions: ['function_1'] });
    expect(await heard()).toEqual([]);
    await change('function_2');
    expect(await heard()).toEqual(['all']);
    await change('function_1');
    expect(await heard()).toEqual(['all', 'one']);
    await restore();
    expect(await heard()).toEqual(['all', 'one']);
  });

  it('ends when the credentials of the caller expire', async () => {
    const { clock, listen, change, heard } = open();
    listen('lasting', { expiresAt: null });
    listen('ending', { expiresAt: clock.now() + 60_000 });
    clock.advance(59_999);
    await change('function_1');
    expect(await heard()).toEqual(['lasting', 'ending']);
    clock.advance(1);
    expect(await heard()).toEqual(['ending ends']);
    await change('function_1');
    expect(await heard()).toEqual(['lasting']);
  });
});
