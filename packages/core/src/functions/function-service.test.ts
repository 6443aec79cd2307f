import type { PatchbayError } from '@patchbay/contracts/errors';
import type { Schema } from '@patchbay/contracts/json-schema';
import { describe, expect, it } from 'vitest';
import type { PageRequest } from '../paging/list-page.ts';
import { contextOf, createParts, summarize } from './fixtures/function-parts.ts';
import { createFunctionService } from './function-service.ts';

const context = contextOf('a');
const firstPage: PageRequest = { limit: 20, offset: 0, sort: 'createdAt', order: 'desc' };
const newestFirst: PageRequest<'version'> = { limit: 20, offset: 0, sort: 'version', order: 'desc' };

function setUp() {
  const parts = createParts();
  return { ...parts, functions: createFunctionService(parts) };
}

describe('function service', () => {
  it('stores a new function with an id and equal timestamps', async () => {
    const { functions } = setUp();
    const created = await functions.create(summarize, context);
    expect(created).toMatchObject(summarize);
    expect(created.id).toMatch(/^function_[0-9a-z]{26}$/);
    expect(created.createdAt).toBe('2026-01-01T00:00:00.000Z');
    expect(created.updatedAt).toBe(created.createdAt);
    expect(await functions.get(created.id, context)).toEqual(created);
  });

  it('moves updatedAt with each replacement, even when the clock stands still', async () => {
    const { functions } = setUp();
    const created = await functions.create(summarize, context);
    const once = await functions.replace(created.id, { ...summarize, name: 'Once' }, context);
    const twice = await functions.replace(created.id, { ...summarize, name: 'Twice' }, context);
    expect([once.createdAt, once.updatedAt]).toEqual([created.createdAt, '2026-01-01T00:00:00.001Z']);
    expect([twice.updatedAt, twice.revision]).toEqual(['2026-01-01T00:00:00.002Z', 3]);
    expect(await functions.get(created.id, context)).toEqual(twice);
  });

  it('lists every version and restores one as a new version', async () => {
    const { functions } = setUp();
    const { id } = await functions.create(summarize, context);
    await functions.replace(id, { ...summarize, description: 'Second' }, context);
    const restored = await functions.restore(id, 1, context);
    expect(restored).toMatchObject({ ...summarize, revision: 3 });
    const { rows, total } = await functions.listVersions(id, newestFirst, context);
    expect(total).toBe(3);
    expect(rows.map(({ version, description }) => [version, description])).toEqual([
      [3, 'Short'],
      [2, 'Second'],
      [1, 'Short'],
    ]);
    expect(rows[0]?.contentHash).toBe(rows[2]?.contentHash);
    expect(rows[0]?.contentHash).not.toBe(rows[1]?.contentHash);
    expect(await functions.getVersion(id, 2, context)).toMatchObject({ description: 'Second', createdBy: 'key_a' });
    await expect(functions.getVersion(id, 4, context)).rejects.toMatchObject({ code: 'version_not_found' });
  });

  it('refuses defaults that do not fit, and no others', async () => {
    const { functions } = setUp();
    const input: Schema = {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string' },
        count: { type: 'integer', default: 5 },
        'a/b': { type: 'integer', default: 'five' },
        place: { type: 'object', required: ['city'], properties: { city: { type: 'string' } }, default: {} },
      },
    };
    await expect(functions.create({ ...summarize, input }, context)).rejects.toMatchObject({
      code: 'schema_invalid',
      errors: [
        { pointer: '/input/properties/a~1b/default', code: 'default_invalid' },
        { pointer: '/input/properties/place/default', code: 'default_invalid' },
      ],
    });
    const { text, count } = input.properties ?? {};
    const fitting: Schema = {
      type: 'object',
      required: ['text'],
      properties: { ...(text && { text }), ...(count && { count }) },
    };
    await expect(functions.create({ ...summarize, input: fitting }, context)).resolves.toMatchObject({
      input: fitting,
    });
  });

  it('names at most 50 faults of a schema, each shortened', async () => {
    const faults = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x${index}`, 1]));
    const input: Schema = { type: 'object', properties: { ['n'.repeat(30_000)]: faults } };
    const refused = await setUp()
      .functions.create({ ...summarize, input }, context)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'schema_invalid' });
    const { errors } = refused as PatchbayError;
    expect(errors).toHaveLength(50);
    expect(errors[0]?.pointer).toBe(`/input/properties/${'n'.repeat(99)}…/x0`);
  });

  it('refuses a write on a revision that is no longer the newest', async () => {
    const { functions } = setUp();
    const { id } = await functions.create(summarize, context);
    await functions.replace(id, summarize, context, 1);
    await expect(functions.replace(id, summarize, context, 1)).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(functions.delete(id, context, 1)).rejects.toMatchObject({ code: 'precondition_failed' });
    await functions.delete(id, context, 2);
    await expect(functions.get(id, context)).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('loses none of many concurrent replacements', async () => {
    const { functions } = setUp();
    const { id } = await functions.create(summarize, context);
    const writes = Array.from({ length: 10 }, (_, index) =>
      functions.replace(id, { ...summarize, description: `${index}` }, context),
    );
    const revisions = (await Promise.all(writes)).map(({ revision }) => revision);
    expect(revisions.sort((left, right) => left - right)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect((await functions.listVersions(id, newestFirst, context)).total).toBe(11);
  });

  it('rejects functions of another tenant as not found', async () => {
    const { functions } = setUp();
    const other = contextOf('b');
    const { id } = await functions.create(summarize, context);
    const notFound = { code: 'function_not_found' };
    await expect(functions.get(id, other)).rejects.toMatchObject(notFound);
    await expect(functions.replace(id, summarize, other)).rejects.toMatchObject(notFound);
    await expect(functions.delete(id, other)).rejects.toMatchObject(notFound);
    await expect(functions.listVersions(id, newestFirst, other)).rejects.toMatchObject(notFound);
    await expect(functions.getVersion(id, 1, other)).rejects.toMatchObject(notFound);
    await expect(functions.restore(id, 1, other)).rejects.toMatchObject(notFound);
    expect(await functions.list(firstPage, other)).toEqual({ rows: [], total: 0 });
    expect((await functions.get(id, context)).revision).toBe(1);
  });

  it('forgets the versions of a deleted function', async () => {
    const { functions, storage } = setUp();
    const { id } = await functions.create(summarize, context);
    await functions.delete(id, context);
    expect(await storage.scanAllTenants('functionVersions', { functionId: id }, 10)).toEqual([]);
    await expect(functions.delete(id, context)).rejects.toMatchObject({ code: 'function_not_found' });
  });

  it('lists five fields, newest first, and pages by cursor without skipping or repeating', async () => {
    const { functions, clock } = setUp();
    for (let index = 0; index < 25; index += 1) {
      await functions.create({ ...summarize, name: `f${index % 3}` }, context);
      if (index % 2 === 0) clock.advance(1);
    }
    const seen: string[] = [];
    let page = await functions.list({ ...firstPage, limit: 10, sort: 'name', order: 'asc' }, context);
    expect(Object.keys(page.rows[0] ?? {}).sort()).toEqual(['createdAt', 'description', 'id', 'name', 'updatedAt']);
    for (;;) {
      expect(page.total).toBe(25);
      seen.push(...page.rows.map(({ id }) => id));
      if (page.nextCursor === undefined) break;
      const { nextCursor: cursor } = page;
      page = await functions.list({ ...firstPage, limit: 10, sort: 'name', order: 'asc', cursor }, context);
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('reports the faults of both schemas and writes nothing', async () => {
    const { functions } = setUp();
    const broken = {
      ...summarize,
      input: { type: 'object', $ref: '#' } as object,
      output: { type: 'string' } as const,
    };
    await expect(functions.create(broken, context)).rejects.toMatchObject({
      code: 'schema_invalid',
      errors: [{ pointer: '/input/$ref' }, { pointer: '/output/type' }],
    });
    expect((await functions.list(firstPage, context)).total).toBe(0);
  });
});
