import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { useServerHere } from '../driver/use-server-here.ts';
import { type McpClient, mcpClients, type ToolResult } from './mcp-client.ts';

// Agents with many functions: three tools to find functions and to run programs that call them.

const server = useServerHere();
const names = ['search_functions', 'describe_functions', 'run_code'];

const order = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
const price = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] } as const;
const priced = {
  name: 'Price of an order',
  description: 'Computes what a customer pays',
  input: order,
  output: price,
  code: 'export default ({ id }) => ({ cents: id.length * 100 })',
};

const textOf = ({ content }: ToolResult): string => content.map(({ text = '' }) => text).join('');

async function save(body: object): Promise<void> {
  const { status, body: made } = await server.ask('POST', '/functions', body);
  expect(status, JSON.stringify(made)).toBe(201);
}

async function connect(path: string, scopes?: readonly string[]): Promise<McpClient> {
  const [[, open] = []] = mcpClients;
  if (open === undefined) throw new Error('there is no client');
  if (scopes === undefined) return await open(server.running.url + path);
  const { body } = await server.ask('POST', '/keys', { name: 'agent', scopes });
  return await open(server.running.url + path, String(body['key']));
}

describe('code mode', () => {
  let client: McpClient;
  beforeAll(async () => {
    await save(priced);
    await save({ ...echo, name: 'Hidden price', settings: { mcp: { expose: false } } });
    client = await connect('/mcp?mode=code', ['code:run', 'functions:execute']);
  });
  afterAll(() => client.close());

  it('has three tools, whatever functions there are', async () => {
    const { tools, nextCursor } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(nextCursor).toBeUndefined();
    await expect(client.callTool('priceOfAnOrder', { id: 'a' })).rejects.toThrow('Unknown tool');
  });

  it('finds functions, describes them as TypeScript, and runs a program that calls them', async () => {
    const found = await client.callTool('search_functions', { query: 'what does my customer pay?' });
    expect(found.structuredContent).toEqual({
      functions: [{ name: 'priceOfAnOrder', description: priced.description }],
    });
    const described = await client.callTool('describe_functions', { names: ['priceOfAnOrder'] });
    expect(textOf(described)).toBe(`interface Functions {
  /** Price of an order: Computes what a customer pays */
  priceOfAnOrder(input: {
    id: string;
  }): Promise<{
    cents: number;
  }>;
}
`);
    const code = `const prices = await Promise.all(['a', 'bb'].map((id) => functions.priceOfAnOrder({ id })));
      log.info('priced', { orders: prices.length });
      return prices.reduce((sum, { cents }) => sum + cents, 0);`;
    const { structuredContent, isError } = await client.callTool('run_code', { code });
    expect(isError).toBeFalsy();
    expect(structuredContent).toMatchObject({
      runId: expect.stringMatching(/^run_/u),
      value: 300,
      logs: [{ level: 'info', message: 'priced', fields: { orders: 2 } }],
      calls: [{ function: 'priceOfAnOrder' }, { function: 'priceOfAnOrder' }],
    });
    const { runId } = structuredContent as { readonly runId: string };
    const { body } = await server.ask('GET', `/executions/${runId}`);
    expect(body).toMatchObject({ status: 'completed', input: { code }, output: { value: 300 } });
  });

  it('shows no function that is not exposed, which is no permission', async () => {
    const { structuredContent } = await client.callTool('search_functions', { query: 'hidden' });
    expect(structuredContent).toEqual({ functions: [] });
    const described = await client.callTool('describe_functions', { names: ['hiddenPrice'] });
    expect(described.isError).toBe(true);
    expect(textOf(described)).toContain('function_not_found');
    const code = 'return await functions.hiddenPrice({ text: "a" });';
    const called = await client.callTool('run_code', { code });
    expect(called.structuredContent).toMatchObject({ value: { text: 'a' }, calls: [{ function: 'hiddenPrice' }] });
  });

  it('tells the agent what is wrong with its program, and where', async () => {
    const mistyped = await client.callTool('run_code', {
      code: 'return await functions.priceOfAnOrder({\n  id: 7,\n});',
    });
    expect(mistyped.isError).toBe(true);
    expect(JSON.parse(textOf(mistyped))).toMatchObject({
      code: 'code_invalid',
      errors: [{ pointer: '/code', line: 2, column: 3 }],
    });
    const failing = await client.callTool('run_code', {
      code: 'const { cents } = await functions.priceOfAnOrder({ id: "a" });\nthrow new Error("no budget for " + cents);',
    });
    expect(JSON.parse(textOf(failing))).toMatchObject({
      code: 'function_failed',
      message: 'no budget for 100',
      executionId: expect.stringMatching(/^run_/u),
      calls: [{ function: 'priceOfAnOrder' }],
    });
    const misspelt = await client.callTool('describe_functions', { names: ['priceOfOrder'] });
    expect(textOf(misspelt)).toContain('did you mean \\"priceOfAnOrder\\"');
    expect(textOf(await client.callTool('search_functions', { query: 7 }))).toContain('input_invalid');
  });

  it('is not there for a caller without the scope', async () => {
    const limited = await connect('/mcp?mode=code', ['functions:execute']);
    try {
      expect((await limited.listTools()).tools).toEqual([]);
      await expect(limited.callTool('run_code', { code: 'return 1;' })).rejects.toThrow('code:run');
    } finally {
      await limited.close();
    }
  });

  it('is added to the functions where there are more than 40', async () => {
    // Clients keep a list for a while: each connection has its own.
    const list = async (path: string) => {
      const connected = await connect(path);
      try {
        return (await connected.listTools()).tools.map(({ name }) => name);
      } finally {
        await connected.close();
      }
    };
    expect(await list('/mcp')).toEqual(['priceOfAnOrder']);
    await Promise.all(Array.from({ length: 40 }, (_, index) => save({ ...echo, name: `Echo ${index}` })));
    const listed = await list('/mcp');
    expect(listed.slice(0, 4)).toEqual([...names, 'priceOfAnOrder']);
    expect(listed).toHaveLength(44);
    expect(await list('/mcp?mode=code')).toEqual(names);
  });
});
