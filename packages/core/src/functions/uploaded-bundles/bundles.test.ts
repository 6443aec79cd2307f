import type { FunctionBundle } from '@patchbay/contracts/executor';
import { describe, expect, it } from 'vitest';
import { contextOf, createParts, summarize } from '../fixtures/function-parts.ts';
import { createFunctionService } from '../function-service.ts';
import { functionAtVersion } from '../prepare-function.ts';
import { checkBundle } from './check-bundle.ts';

const context = contextOf('a');
const { tenant } = context.caller;
const packages = [{ name: 'zod', version: '4.1.12', integrity: 'sha512-AAAA', bytes: 12 }];
const bundle = {
  module: 'export default () => ({});',
  sourceMap: { version: 3, sources: ['/home/ann/node_modules/zod/index.js', '/home/ann/code.ts'], mappings: 'AAAA' },
  packages,
};
const kept: FunctionBundle = { module: bundle.module, mappings: 'AAAA', source: 1, packages };

/** An executor that makes an artifact of what it gets. */
function setUp() {
  const given: (FunctionBundle | undefined)[] = [];
  const executor = {
    prepare: async (source: { readonly code: string; readonly bundle?: FunctionBundle }) => {
      given.push(source.bundle);
      return { artifact: source.bundle?.module ?? source.code };
    },
    execute: async () => expect.unreachable('nothing runs'),
  };
  const parts = createParts(executor);
  const functions = createFunctionService(parts);
  const bundles = async () => await parts.storage.scanAllTenants('functionBundles', {}, 10);
  return { ...parts, executor, functions, given, bundles };
}

describe('bundles of functions', () => {
  it('are kept beside the code, without file names', async () => {
    const { functions, given, bundles } = setUp();
    const row = await functions.create({ ...summarize, bundle }, context);
    expect(row).toMatchObject({ code: summarize.code, artifact: bundle.module, packages });
    expect(given).toEqual([kept]);
    const found = await bundles();
    expect(found).toMatchObject([{ row: { id: row.bundleId, functionId: row.id, ...kept } }]);
    expect(JSON.stringify(found)).not.toContain('/home/ann');
    expect(await functions.getVersion(row.id, 1, context)).toMatchObject({ bundleId: row.bundleId, packages });
  });

  it('are shared by versions with the same content, and change the hash of a version', async () => {
    const { functions, bundles } = setUp();
    const plain = await functions.create(summarize, context);
    const first = await functions.replace(plain.id, { ...summarize, bundle }, context);
    const second = await functions.replace(plain.id, { ...summarize, description: 'Other', bundle }, context);
    expect(second.bundleId).toBe(first.bundleId);
    expect(await bundles()).toHaveLength(1);
    expect(new Set([plain.contentHash, first.contentHash, second.contentHash]).size).toBe(3);
    const newer = { ...bundle, module: `${bundle.module} // newer` };
    const third = await functions.replace(plain.id, { ...summarize, bundle: newer }, context);
    expect(third.bundleId).not.toBe(first.bundleId);
    expect(await bundles()).toHaveLength(2);
  });

  it('stay while the code is the same, and are dropped with new code', async () => {
    const { functions, given } = setUp();
    const { id, bundleId } = await functions.create({ ...summarize, bundle }, context);
    const renamed = await functions.replace(id, { ...summarize, name: 'Renamed' }, context);
    expect(renamed).toMatchObject({ bundleId, packages, artifact: bundle.module });
    const rewritten = await functions.replace(id, { ...summarize, code: 'export default () => 1' }, context);
    expect(rewritten).toMatchObject({ bundleId: null, packages: null, artifact: 'export default () => 1' });
    expect(given).toEqual([kept, kept, undefined]);
  });

  it('are restored with their version, and run when an older version does', async () => {
    const { functions, executor, storage } = setUp();
    const { id, bundleId } = await functions.create({ ...summarize, bundle }, context);
    await functions.replace(id, { ...summarize, code: 'export default () => 1' }, context);
    const older = await functionAtVersion(storage, executor, { functionId: id, functionVersion: 1 }, context);
    expect(older).toMatchObject({ bundleId, artifact: bundle.module });
    expect(await functions.restore(id, 1, context)).toMatchObject({ bundleId, packages, artifact: bundle.module });
  });

  it('are deleted with their function', async () => {
    const { functions, storage, bundles } = setUp();
    const { id, bundleId } = await functions.create({ ...summarize, bundle }, context);
    expect(await storage.get(tenant, 'functionBundles', bundleId ?? '')).toBeDefined();
    await functions.delete(id, context);
    expect(await bundles()).toEqual([]);
  });

  it('are refused without code', async () => {
    const { functions } = setUp();
    await expect(functions.create({ ...summarize, code: '', bundle }, context)).rejects.toMatchObject({
      code: 'code_invalid',
      errors: [{ pointer: '/bundle', code: 'no_function' }],
    });
  });

  it('are limited to 5 MiB, and the refusal names their largest packages', () => {
    const sized = [10, 3_000_000, 20, 30, 2_000_000, 40].map((bytes, index) => ({
      name: `package-${index}`,
      version: '1.0.0',
      integrity: 'sha512-AAAA',
      bytes,
    }));
    const refused = () => checkBundle({ module: 'é'.repeat(2_621_441), packages: sized });
    expect(refused).toThrow(
      'The module and its source map have 5242882 bytes, of 5242880 at most. The largest packages: ' +
        'package-1 (3000000 bytes), package-4 (2000000 bytes), package-5 (40 bytes), package-3 (30 bytes), package-2 (20 bytes)',
    );
    expect(checkBundle({ module: 'é'.repeat(2_621_440), packages: [] })).toMatchObject({ mappings: '', source: 0 });
  });

  it.each([
    [['anything.ts'], 0],
    [['node_modules/a/code.ts', 'src/code.ts', 'b.ts'], 1],
    [['a.js', 'C:\\work\\function.js', null], 1],
  ])('find their code among the sources %j', (sources, source) => {
    const sourceMap = { sources, mappings: 'AAAA' };
    expect(checkBundle({ module: 'x', sourceMap, packages: [] }).source).toBe(source);
  });

  it.each([[['a.ts', 'b.ts']], [['a/code.ts', 'b/code.ts']], [[null, '../../code.py']]])(
    'are refused if none of the sources %j is the code',
    (sources) => {
      const sourceMap = { sources, mappings: 'AAAA' };
      expect(() => checkBundle({ module: 'x', sourceMap, packages: [] })).toThrow('One source has to be the code');
    },
  );
});
