import { afterAll, describe, expect, it } from 'vitest';
import type { Schema } from '../json-schema.ts';
import { createSchemaService } from './schema-service.ts';

const service = createSchemaService();
afterAll(async () => await service.close());

const check = async (...schemas: readonly Schema[]) =>
  await service.check(
    'acme',
    schemas.map((schema, index) => ({ schema, pointer: `/tools/${index}/parameters` })),
  );

describe('schemas of a request', () => {
  const sound: Schema = { type: 'object', properties: { name: { type: 'string' } } };
  const faulty = { type: 'object', properties: { name: { kind: 'string' } } } as unknown as Schema;

  it('that were accepted are accepted again, from any tenant', async () => {
    expect(await check(sound)).toEqual([]);
    expect(await check(sound)).toEqual([]);
    expect(await service.check('other', [{ schema: sound, pointer: '/output' }])).toEqual([]);
  });

  it('that were accepted are accepted again without work in the thread, however large', async () => {
    const own = createSchemaService();
    const tools = Array.from({ length: 20 }, (_, index) => ({
      schema: { ...sound, description: `${index} ${'of a tool. '.repeat(30)}` },
      pointer: `/tools/${index}/parameters`,
    }));
    expect(await own.check('acme', tools)).toEqual([]);
    await own.close();
    expect(await own.check('acme', tools)).toEqual([]);
    await expect((async () => await own.check('acme', tools.slice(1)))()).rejects.toThrow('shutting down');
  });

  it('that were refused are refused again, each time with their own pointers', async () => {
    const first = await check(sound, faulty);
    expect(first).not.toEqual([]);
    expect(first.every(({ pointer }) => pointer.startsWith('/tools/1/parameters/'))).toBe(true);
    expect(await check(sound, faulty)).toEqual(first);
    expect((await check(faulty)).every(({ pointer }) => pointer.startsWith('/tools/0/parameters/'))).toBe(true);
  });

  it('that were each accepted are still counted together', async () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const large: Schema = { type: 'object', properties: properties as NonNullable<Schema['properties']> };
    expect(await check(large)).toEqual([]);
    const many = Array.from({ length: 400 }, () => large);
    expect(await check(...many)).toMatchObject([{ code: expect.stringMatching(/too_complex|too_large/) }]);
  });
});
