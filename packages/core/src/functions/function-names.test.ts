import type { Storage } from '@patchbay/contracts/storage';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { contextOf, createParts, summarize } from './fixtures/function-parts.ts';
import { createFunctionNames } from './function-names.ts';
import { createFunctionService } from './function-service.ts';

const context = contextOf('acme');
const { caller } = context;

/** Functions, and their names over a storage whose lists are counted. */
function setUp() {
  const parts = createParts();
  const functions = createFunctionService(parts);
  let lists = 0;
  const list: Storage['list'] = (...query) => {
    lists += 1;
    return parts.storage.list(...query);
  };
  const counted = { ...parts.storage, list };
  return { functions, names: createFunctionNames(counted), listed: () => lists };
}

describe('the functions that callers name', () => {
  it('are read once, until a function of the tenant changes', async () => {
    const { functions, names, listed } = setUp();
    const { id } = await functions.create(summarize, context);
    expect((await names.find(caller, 'Summarize Text')).id).toBe(id);
    expect((await names.find(caller, 'summarizeText')).id).toBe(id);
    expect((await names.find(caller, 'sumarizeText')).id).toBeUndefined();
    const before = listed();
    expect((await names.find(caller, 'Summarize Text')).id).toBe(id);
    expect((await names.find(caller, 'summarizeText')).id).toBe(id);
    expect((await names.find(caller, 'sumarizeText')).id).toBeUndefined();
    expect(listed()).toBe(before);
  });

  it('are up to date from the commit that adds, renames or deletes one', async () => {
    const { functions, names } = setUp();
    const kept = await functions.create({ ...summarize, name: 'Other' }, context);
    expect((await names.find(caller, 'Summarize Text')).id).toBeUndefined();
    const { id } = await functions.create(summarize, context);
    expect((await names.find(caller, 'Summarize Text')).id).toBe(id);
    await functions.replace(id, { ...summarize, name: 'Shorten' }, context);
    expect((await names.find(caller, 'Summarize Text')).id).toBeUndefined();
    expect((await names.find(caller, 'Shorten')).id).toBe(id);
    await functions.delete(id, context);
    expect((await names.find(caller, 'Shorten')).id).toBeUndefined();
    expect((await names.find(caller, 'Other')).id).toBe(kept.id);
  });

  it('are those of the tenant, and of the allow list of a caller', async () => {
    const { functions, names } = setUp();
    const { id } = await functions.create(summarize, context);
    const other = contextOf('other');
    await functions.create({ ...summarize, name: 'Other' }, other);
    expect((await names.find(caller, 'Summarize Text')).id).toBe(id);
    expect((await names.find(other.caller, 'Summarize Text')).id).toBeUndefined();
    expect((await names.find({ ...caller, functions: [] }, 'Summarize Text')).id).toBeUndefined();
    expect((await names.find({ ...caller, functions: [id] }, 'Summarize Text')).id).toBe(id);
  });

  it('have their similar names read once as well, and again after a failure', async () => {
    const { functions, names, listed } = setUp();
    await functions.create(summarize, context);
    expect(await (await names.find(caller, 'sumarizeText')).nearest()).toEqual(['Summarize Text']);
    const before = listed();
    expect(await (await names.find(caller, 'sumarizeText')).nearest()).toEqual(['Summarize Text']);
    expect(listed()).toBe(before);

    const storage = createMemoryStorage();
    let failures = 1;
    const list: Storage['list'] = (...query) => {
      if (query[2].limit === 100 && failures-- > 0) throw new Error('down');
      return storage.list(...query);
    };
    const named = await createFunctionNames({ ...storage, list }).find(caller, 'sumarizeText');
    await expect(named.nearest()).rejects.toThrow('down');
    expect(await named.nearest()).toEqual([]);
  });

  it('are refused each time if two have the same name, with both ids', async () => {
    const { functions, names } = setUp();
    const ids = [await functions.create(summarize, context), await functions.create(summarize, context)].map(
      ({ id }) => id,
    );
    for (let count = 0; count < 2; count += 1) {
      await expect(names.find(caller, 'Summarize Text')).rejects.toMatchObject({
        code: 'ambiguous_function_name',
        extensions: { ids },
      });
    }
  });
});
