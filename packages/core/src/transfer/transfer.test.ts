import type { Collection } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { amountNames } from '../usage/usage-hours.ts';
import { allCollections, type DumpedRow, dumpStorage, functionCollections, writeDump } from './dump.ts';
import { readDump, restoreDump } from './restore.ts';

const acme = tenantId('acme');
const other = tenantId('other');
const time = '2026-01-02T03:04:05.678Z';
const head = '{"patchbay":"dump","version":1}';

function functionRow(id: string, createdAt = time): Extract<DumpedRow, { collection: 'functions' }>['row'] {
  return {
    id,
    revision: 7,
    name: `Name of ${id}`,
    key: null,
    description: '',
    input: { type: 'object', properties: { z: { type: 'string' }, a: { type: 'string' } } },
    output: { type: 'object' },
    code: 'export default () => ({});',
    artifact: 'artifact\u2028',
    bundleId: null,
    packages: null,
    contentHash: 'c0ffee',
    createdAt,
    updatedAt: createdAt,
  };
}

async function filled(count: number) {
  const storage = createMemoryStorage();
  for (const [tenant, prefix] of [
    [acme, 'a'],
    [other, 'b'],
  ] as const) {
    for (let index = 0; index < count; index += 1) {
      // Many with the same time: only the id orders the pages.
      await storage.commit(tenant, [{ insert: 'functions', row: functionRow(`${prefix}${index}`) }]);
    }
  }
  return storage;
}

async function textOf(
  storage: ReturnType<typeof createMemoryStorage>,
  tenants = [acme, other],
  names = allCollections,
) {
  const lines: string[] = [];
  for await (const line of writeDump(dumpStorage(storage, tenants, names))) lines.push(line);
  return lines.join('');
}

const restore = async (
  text: string,
  storage = createMemoryStorage(),
  present: 'refuse' | 'skip' = 'refuse',
  wanted: readonly Collection[] = allCollections,
) => ({
  storage,
  report: await restoreDump(storage, readDump(text.split('\n'), wanted), present),
});

describe('a dump', () => {
  it('restores every row as it was, for each tenant', async () => {
    const text = await textOf(await filled(250));
    const { storage, report } = await restore(text);
    expect(report).toEqual({ restored: 500, present: 0 });
    expect(await textOf(storage)).toBe(text);
    expect(await storage.get(acme, 'functions', 'a17')).toEqual(functionRow('a17'));
    expect(await storage.get(other, 'functions', 'a17')).toBeUndefined();
  });

  it('of one tenant contains no rows of another', async () => {
    const text = await textOf(await filled(3), [acme], [...functionCollections]);
    expect(text).not.toContain('"other"');
    expect((await restore(text)).report.restored).toBe(3);
  });

  it('a row that already exists is rejected or skipped', async () => {
    const text = await textOf(await filled(3));
    const used = createMemoryStorage();
    await used.commit(acme, [{ insert: 'functions', row: functionRow('a1') }]);
    await expect(restore(text, used)).rejects.toMatchObject({
      code: 'conflict',
      message: 'functions a1 already exists',
    });
    expect((await restore(text, used, 'skip')).report).toEqual({ restored: 5, present: 1 });
  });

  it('has no daily sums, and those that were there are recomputed with the hours that it brings', async () => {
    const storage = createMemoryStorage();
    const row = {
      id: 'usage_day_1',
      revision: 1,
      day: '2026-01-02T00:00:00.000Z',
      dimension: 'kind',
      sums: [],
    } as const;
    await storage.commit(acme, [{ insert: 'usageDays', row }]);
    await storage.commit(other, [{ insert: 'usageDays', row: { ...row, id: 'usage_day_2' } }]);
    expect(await textOf(storage)).not.toContain('usage_day');
    const dimensions = { kind: 'model', keyId: '', functionId: '', model: 'a/b', outcome: 'completed' };
    const amounts = [...amountNames, 'calls', 'costNanoUsd', 'unpricedCalls'].map((name) => [name, 1]);
    const hour = { id: 'usage_hour_1', revision: 1, hour: '2026-01-02T03:00:00.000Z', ...dimensions };
    const line = { collection: 'usageHours', tenant: acme, row: { ...hour, ...Object.fromEntries(amounts) } };
    await restore(`${head}\n${JSON.stringify(line)}`, storage);
    expect(await storage.get(acme, 'usageDays', 'usage_day_1')).toBeUndefined();
    expect(await storage.get(other, 'usageDays', 'usage_day_2')).toBeDefined();
  });

  it('of functions must not contain anything else', async () => {
    const text = await textOf(await filled(3));
    const foreign = `${text}{"collection":"apiKeys","tenant":"acme","row":{}}`;
    await expect(restore(foreign, createMemoryStorage(), 'refuse', functionCollections)).rejects.toMatchObject({
      message: 'line 8: apiKeys are not restored here',
    });
  });

  it.each([
    ['', 'line 1: this is no dump of Patchbay'],
    ['{}', 'line 1: this is no dump of Patchbay'],
    ['{"patchbay":"dump","version":2}', 'line 1: this dump was made by a newer version'],
    [`${head}\n{"collection":"functi`, 'line 2: names no collection that is known here'],
    [`${head}\n{"collection":"__proto__","tenant":"acme","row":{}}`, 'line 2: names no collection that is known here'],
    [`${head}\n{"collection":"functions","tenant":"","row":{}}`, 'line 2: names no tenant'],
    [`${head}\n{"collection":"functions","tenant":"acme"}`, 'line 2: has no functions in its row: row'],
    [`${head}\n{"collection":"functions","tenant":"acme","row":{"x":1}}`, 'line 2: has no functions in its row: x'],
    [`${head}\n{"collection":"functions","tenant":"acme","row":{"id":"a"}}`, 'line 2: lacks revision of functions'],
  ])('that is %j is refused', async (text, message) => {
    await expect(restore(text)).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});
