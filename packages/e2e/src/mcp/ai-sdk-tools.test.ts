import { createMCPClient } from '@ai-sdk/mcp';
import { expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

const server = useServerHere();

it('the AI SDK gets functions as tools, and calls one', async () => {
  await server.ask('POST', '/functions', echo);
  const headers = { Authorization: `Bearer ${adminKey}` };
  const client = await createMCPClient({ transport: { type: 'http', url: `${server.running.url}/mcp`, headers } });
  const tools = await client.tools();
  expect(tools['echo']?.description).toBe(echo.description);
  const result = await tools['echo']?.execute({ text: 'hello' }, { toolCallId: '1', messages: [], context: {} });
  expect(result).toMatchObject({ structuredContent: { text: 'hello' } });
  await client.close();
});
