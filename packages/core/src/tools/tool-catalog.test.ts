import { describe, expect, it } from 'vitest';
import { callerContext } from '../functions/host-calls/fixtures/calling-app.ts';
import { type ScriptedTool, scriptedTools, search } from './fixtures/scripted-tools.ts';

const context = callerContext();
const idsOf = async (name: string, listed: readonly ScriptedTool[], tenants = {}) =>
  (await scriptedTools(listed, tenants).tools.find(name, context)).map(({ id }) => id);

describe('the tools of a mounted server', () => {
  const other: ScriptedTool = { ...search, name: 'list.all' };

  it('are found by their name, or all together', async () => {
    expect(await idsOf('docs.list.all', [search, other])).toEqual(['docs.list.all']);
    expect(await idsOf('docs.*', [search, other])).toEqual(['docs.search', 'docs.list.all']);
  });

  it('are not found by other names, or by a tenant that may not use them', async () => {
    const missing = expect.objectContaining({ code: 'tool_not_found' });
    await expect(idsOf('docs.serach', [search])).rejects.toThrow('did you mean "docs.search"?');
    await expect(idsOf('other.search', [search])).rejects.toEqual(missing);
    await expect(idsOf('search', [search])).rejects.toEqual(missing);
    const tenants = { a: { tools: { allow: ['docs.list.all'] } } };
    await expect(idsOf('docs.search', [search, other], tenants)).rejects.toEqual(missing);
    expect(await idsOf('docs.*', [search, other], tenants)).toEqual(['docs.list.all']);
  });

  it.each([
    ['whose name cannot be one', { ...search, name: 'a b' }],
    ['whose name another one has', { ...search, description: 'Another one.' }],
    ['whose input is no object', { ...search, name: 'bad', input: { type: 'string' } }],
    ['whose schema is invalid', { ...search, name: 'bad', input: { type: 'object', required: 'query' } }],
    ['whose pattern takes for ever', { ...search, name: 'bad', output: { type: 'string', pattern: '(?=a)b' } }],
    [
      'whose schema refers to another server',
      { ...search, name: 'bad', input: { type: 'object', $ref: 'http://a.test/' } },
    ],
  ])('do not include one %s', async (_, tool) => {
    expect(await idsOf('docs.*', [search, tool])).toEqual(['docs.search']);
  });

  it('have descriptions of a limited length', async () => {
    const [tool] = await scriptedTools([{ ...search, description: 'x'.repeat(10_000) }]).tools.find('docs.*', context);
    expect(tool?.description).toHaveLength(4_096);
  });
});

describe('a call of a tool', () => {
  const call = async (tool: ScriptedTool, given: Parameters<ScriptedTool['run']>[0], signal?: AbortSignal) => {
    const { tools, calls } = scriptedTools([tool]);
    const [found] = await tools.find('docs.*', context);
    if (!found) throw new Error('the tool is not there');
    return { result: await tools.call(found, given, callerContext('a', ['*'], signal)), calls };
  };

  it('is sent with arguments that match its schema, and with no others', async () => {
    expect(await call(search, { query: 'cats' })).toEqual({
      result: { text: 'found cats' },
      calls: [{ name: 'search', given: { query: 'cats' } }],
    });
    await expect(call(search, { words: 'cats' })).rejects.toMatchObject({
      code: 'input_invalid',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '/input/query' })]),
    });
  });

  it('fails with a result that is not what the server declared', async () => {
    const output = { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] } as const;
    const counting = (value: ScriptedTool['run']) => ({ ...search, output, run: value });
    const fine = counting(async () => ({ text: '', value: { pages: 1 } }));
    expect((await call(fine, { query: '' })).result.value).toEqual({ pages: 1 });
    const refused = { code: 'tool_failed', message: expect.stringContaining('output schema') };
    await expect(
      call(
        counting(async () => ({ text: '', value: { pages: '1' } })),
        { query: '' },
      ),
    ).rejects.toMatchObject(refused);
    await expect(
      call(
        counting(async () => ({ text: '' })),
        { query: '' },
      ),
    ).rejects.toMatchObject(refused);
  });

  it('ends with its caller, even if the server ignores it', async () => {
    const caller = new AbortController();
    const hanging: ScriptedTool = { ...search, run: () => new Promise(() => caller.abort(new Error('gone'))) };
    await expect(call(hanging, { query: '' }, caller.signal)).rejects.toThrow('gone');
  });
});
