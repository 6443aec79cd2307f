import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createApp, createRequestContext, loadConfig, tenantId } from '@patchbay/core';
import { expect, it } from 'vitest';
import { patchbayFile } from '../driver/patchbay-file.ts';
import { newFolder } from '../driver/run-server.ts';
import { echo } from '../driver/sample-functions.ts';

const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno" }
`;

it('patchbay mcp --config has the functions of its storage, without a server', async () => {
  const folder = newFolder();
  const file = join(folder, 'patchbay.config.yaml');
  writeFileSync(file, config);
  const { app: loaded, directory } = await loadConfig({ file, bases: [import.meta.url] });
  const app = await createApp(loaded, { directory });
  const caller = { id: 'test', kind: 'service', tenant: tenantId('default'), scopes: ['*'] } as const;
  const context = createRequestContext({ app, caller, requestId: 'request_1' });
  await app.services.functions.create(echo, context);
  context.close();
  await app.host.stop(0);

  const client = new Client({ name: 'test', version: '1.0.0' });
  const args = ['--conditions=source', patchbayFile, 'mcp', '--config', file];
  const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: folder, stderr: 'ignore' }),
  );
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
  const { structuredContent } = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
  expect(structuredContent).toEqual({ text: 'hello' });
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});
