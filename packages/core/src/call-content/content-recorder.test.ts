import { silentLogger } from '@patchbay/contracts/base/logger';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { rootSecret } from '../functions/fixtures/function-parts.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { type ContentOptions, createContentRecorder } from './content-recorder.ts';
import { contentPlace } from './stored-content.ts';

const tenant = tenantId('a');
const box = createSecretBox(rootSecret);
const callOf = (id: string) => ({ id, createdAt: '2026-01-01T00:00:00.000Z', level: 'full' }) as const;

function setUp(given: Partial<ContentOptions> = {}) {
  const memory = createMemoryStorage();
  const state = { down: false, rejects: '', commits: 0, dropped: 0 };
  const storage: Storage = {
    ...memory,
    async commit(owner, writes) {
      if (state.down) throw new PatchbayError('storage_unavailable', 'the disk is full');
      if (state.rejects !== '' && JSON.stringify(writes).includes(state.rejects)) throw new Error('it does not fit');
      state.commits += 1;
      return await memory.commit(owner, writes);
    },
  };
  const recorder = createContentRecorder({
    storage,
    box,
    logger: silentLogger,
    options: () => ({ content: 'full', contentBytes: 65_536, ...given }),
    hide: (text) => text,
    onDropped: () => {
      state.dropped += 1;
    },
  });
  const read = async (id: string, owner = tenant) => {
    const row = await memory.get(owner, 'callContents', id);
    return row && JSON.parse(box.open(row.content, contentPlace(owner, id)) ?? '');
  };
  const keep = (id: string, text = id, owner = tenant) =>
    recorder.keep(owner, callOf(id), () => ({ request: { text } }));
  return { recorder, state, read, keep, memory };
}

describe('the content recorder', () => {
  it('writes kept content in one commit per tenant', async () => {
    const { recorder, state, read, keep } = setUp();
    const b = tenantId('b');
    for (let index = 0; index < 50; index += 1) keep(`call_${index}`);
    keep('call_of_b', 'text', b);
    await recorder.flush();
    expect(state.commits).toBe(2);
    expect(await read('call_49')).toMatchObject({ documents: { request: { text: 'call_49' } } });
    expect([await read('call_of_b'), await read('call_of_b', b)]).toEqual([undefined, expect.anything()]);
    await recorder.stop();
  });

  it('replaces the content of an execution that ran again', async () => {
    const { recorder, read, keep } = setUp();
    keep('execution_1', 'first');
    await recorder.flush();
    keep('execution_1', 'second');
    keep('execution_1', 'third');
    keep('call_2');
    await recorder.stop();
    expect(await read('execution_1')).toMatchObject({ documents: { request: { text: 'third' } } });
    expect(await read('call_2')).toBeDefined();
  });

  it('writes later what the storage could not take, and drops what exceeds the bound until then', async () => {
    const { recorder, state, read, keep } = setUp({ contentBytes: 524_288 });
    state.down = true;
    for (let index = 0; index < 80; index += 1) {
      keep(`call_${index}`, 'long text '.repeat(50_000));
      await recorder.flush();
    }
    expect(state.dropped).toBeGreaterThan(10);
    state.down = false;
    await recorder.stop();
    expect([await read('call_0'), await read('call_79')]).toEqual([expect.anything(), undefined]);
  });

  it('drops what a storage rejects, and nothing else', async () => {
    const { recorder, state, read, keep } = setUp();
    state.rejects = '"call_3"';
    for (let index = 0; index < 9; index += 1) keep(`call_${index}`);
    await recorder.stop();
    expect([state.dropped, await read('call_3'), await read('call_8')]).toEqual([1, undefined, expect.anything()]);
  });

  it('drops content that cannot be built, and nothing else', async () => {
    const { recorder, state, read, keep } = setUp();
    recorder.keep(tenant, callOf('call_1'), () => {
      throw new Error('no JSON');
    });
    keep('call_2');
    await recorder.stop();
    expect([state.dropped, await read('call_1'), await read('call_2')]).toEqual([1, undefined, expect.anything()]);
  });

  it('does not hold more than a thousand calls', async () => {
    const { recorder, state, keep } = setUp();
    for (let index = 0; index < 1_100; index += 1) keep(`call_${index}`);
    expect(state.dropped).toBe(100);
    await recorder.stop();
  });
});
