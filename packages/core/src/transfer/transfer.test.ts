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
    const foreign = text.replace('{"patchbay":"end"', '{"collection":"apiKeys","tenant":"acme","row":{}}\n$&');
    await expect(restore(foreign, createMemoryStorage(), 'refuse', functionCollections)).rejects.toMatchObject({
      message: 'line 8: apiKeys are not restored here',
    });
  });

  it.each([
    ['', 'line 1: this is no dump of Patchbay'],
    ['{}', 'line 1: this is no dump of Patchbay'],
    ['{"patchbay":"dump","version":3}', 'line 1: this dump was made by a newer version'],
    [`${head}\n{"collection":"functi`, 'line 2: is not JSON: the dump is damaged, or was cut off here'],
    [`${head}\n\n{bad\n`, 'line 3: is not JSON: the dump is damaged, or was cut off here'],
    [`${head}\n5`, 'line 2: names no collection that is known here'],
    [`${head}\n{"patchbay":"end","rows":0}`, 'line 2: names no collection that is known here'],
    [`${head}\n{"collection":"__proto__","tenant":"acme","row":{}}`, 'line 2: names no collection that is known here'],
    [`${head}\n{"collection":"functions","tenant":"","row":{}}`, 'line 2: names no tenant'],
    [`${head}\n{"collection":"functions","tenant":"acme"}`, 'line 2: has no functions in its row: row'],
    [`${head}\n{"collection":"functions","tenant":"acme","row":{"x":1}}`, 'line 2: has no functions in its row: x'],
    [`${head}\n{"collection":"functions","tenant":"acme","row":{"id":"a"}}`, 'line 2: lacks revision of functions'],
  ])('that is %j is refused', async (text, message) => {
    await expect(restore(text)).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});

describe('the end of a dump', () => {
  const cutOff = 'the dump stops here, without its end: it was cut off, and is not complete';

  it('a dump that lost its end is refused before anything of it is stored', async () => {
    const lines = (await textOf(await filled(250))).trimEnd().split('\n');
    expect(lines).toHaveLength(502);
    for (const count of [1, 20, 501]) {
      const storage = createMemoryStorage();
      const cut = `${lines.slice(0, count).join('\n')}\n\n`;
      await expect(restore(cut, storage)).rejects.toMatchObject({
        code: 'invalid_request',
        message: `line ${count}: ${cutOff}`,
      });
      expect(await storage.scanAllTenants('functions', {}, 1)).toEqual([]);
    }
  });

  it('a large dump is stored while it is read, and it is said how much of it when its end is missing', async () => {
    const large = createMemoryStorage();
    for (let index = 0; index < 20; index += 1) {
      const row = { ...functionRow(`large${index}`), code: 'x'.repeat(500_000) };
      await large.commit(acme, [{ insert: 'functions', row }]);
    }
    const text = await textOf(large);
    expect((await restore(text)).report).toEqual({ restored: 20, present: 0 });
    const storage = createMemoryStorage();
    const failure = await restore(text.slice(0, text.lastIndexOf('{"patchbay":"end"')), storage).catch(String);
    const stored = (await storage.scanAllTenants('functions', {}, 100)).length;
    expect(stored).toBeGreaterThan(0);
    expect(failure).toMatch(`line 21: ${cutOff}; rows that are stored already: ${stored}`);
  });

  it('a dump that lost a line, or has lines after its end, is refused', async () => {
    const lines = (await textOf(await filled(2))).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('{"patchbay":"end","rows":4}');
    await expect(restore(lines.toSpliced(2, 1).join('\n'))).rejects.toMatchObject({
      message: 'line 5: the dump was written with 4 rows, and has 3: it is damaged',
    });
    await expect(restore([...lines, lines[1]].join('\n'))).rejects.toMatchObject({
      message: 'line 7: comes after the end of the dump',
    });
  });

  it('a dump of an earlier version has no end, and is restored', async () => {
    const [first = '', ...lines] = (await textOf(await filled(2))).trimEnd().split('\n');
    expect(first).toBe('{"patchbay":"dump","version":2}');
    expect((await restore([head, ...lines.slice(0, -1)].join('\n'))).report).toEqual({ restored: 4, present: 0 });
  });

  it('a dump without rows has an end', async () => {
    const text = await textOf(createMemoryStorage());
    expect(text).toBe('{"patchbay":"dump","version":2}\n{"patchbay":"end","rows":0}\n');
    expect((await restore(text)).report).toEqual({ restored: 0, present: 0 });
  });

  it('a dump comes in one piece for each row, and one more', async () => {
    const pieces: string[] = [];
    for await (const piece of writeDump(dumpStorage(await filled(2), [acme], allCollections))) pieces.push(piece);
    expect(pieces.map((piece) => piece.split('\n').length - 1)).toEqual([1, 1, 2]);
  });
});
