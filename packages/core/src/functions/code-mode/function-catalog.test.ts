import { describe, expect, it } from 'vitest';
import { contextOf, createParts, summarize } from '../fixtures/function-parts.ts';
import type { FunctionInput } from '../function-service.ts';
import { createFunctionService } from '../function-service.ts';
import { createFunctionCatalogs } from './function-catalog.ts';

const context = contextOf('acme');
const { tenant } = context.caller;

function createCatalogs() {
  const parts = createParts();
  const functions = createFunctionService(parts);
  const catalogOf = createFunctionCatalogs(parts.storage);
  const add = async (name: string, more: Partial<FunctionInput> = {}) => {
    parts.clock.advance(1);
    return (await functions.create({ ...summarize, name, ...more }, context)).id;
  };
  const search = async (query: string) => {
    const catalog = await catalogOf({ tenant });
    return catalog.search(query).map((id) => catalog.names.get(id));
  };
  return { parts, functions, catalogOf, add, search };
}

const withProperty = (name: string): Partial<FunctionInput> => ({
  description: '',
  output: { type: 'object', properties: { rows: { type: 'array', items: { properties: { [name]: {} } } } } },
});

describe('the catalog of functions', () => {
  it('ranks functions by their names, then descriptions, then names of properties', async () => {
    const { add, search } = createCatalogs();
    await add('archive', withProperty('invoiceNumber'));
    await add('send mail', { description: 'Sends an invoice to a customer' });
    await add('listInvoices', { description: 'All of them' });
    await add('weather', { description: 'Forecast of a city' });
    expect(await search('invoice')).toEqual(['listInvoices', 'sendMail', 'archive']);
    expect(await search('list_invoices')).toEqual(expect.arrayContaining(['listInvoices']));
    expect((await search('forcast for my city'))[0]).toBe('weather');
    expect(await search('xylophone')).toEqual([]);
  });

  it('names each function so that a program can call it', async () => {
    const { add, catalogOf } = createCatalogs();
    const twins = [await add('same'), await add('same')];
    const [then, call, plain] = [await add('then'), await add('call'), await add('Read it')];
    const { names, ids } = await catalogOf({ tenant });
    expect([...twins, then, call, plain].map((id) => names.get(id))).toEqual([...twins, then, call, 'readIt']);
    expect(ids.get('readIt')).toBe(plain);
  });

  it('follows the functions of the tenant, and reads them again only when one changes', async () => {
    const { parts, functions, catalogOf, add, search } = createCatalogs();
    const id = await add('first');
    const before = await catalogOf({ tenant });
    expect(await catalogOf({ tenant })).toBe(before);
    const second = await add('second');
    expect(await search('second')).toEqual(['second']);
    parts.clock.advance(1);
    await functions.replace(id, { ...summarize, name: 'renamed' }, context);
    expect(await search('renamed')).toEqual(['renamed']);
    await functions.delete(second, context);
    expect(await search('second')).toEqual([]);
    expect((await catalogOf(contextOf('other').caller)).names.size).toBe(0);
  });

  it('reads more functions than a page has', async () => {
    const { add, catalogOf } = createCatalogs();
    for (let index = 0; index < 101; index++) await add(`function ${index}`);
    expect((await catalogOf({ tenant })).names.size).toBe(101);
  });

  it('has only the functions that a caller can reach', async () => {
    const { add, catalogOf } = createCatalogs();
    const [own] = [await add('Read it'), await add('Read it as well')];
    const catalog = await catalogOf({ tenant, functions: [own] });
    expect([...catalog.names]).toEqual([[own, 'readIt']]);
    expect([...catalog.ids.values()]).toEqual([own]);
    expect(catalog.search('read')).toEqual([own]);
    expect((await catalogOf({ tenant })).names.size).toBe(2);
  });
});
