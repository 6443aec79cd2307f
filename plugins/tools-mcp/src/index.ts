import { definePlugin, services } from '@patchbay/core/plugin';
import { serverOptions } from './server-options.ts';
import { createToolServer } from './tool-server.ts';

/** Mounts a server of the Model Context Protocol (MCP), reached by its URL or started as a program. */
export default definePlugin({
  name: '@patchbay/tools-mcp',
  kind: 'toolServer',
  version: 1,
  config: { properties: serverOptions },
  deps: { transport: services.transport },
  create: ({ config, deps, logger, mount, directory }) =>
    createToolServer({ config, transport: deps.transport, logger, mount, directory, env: process.env }),
});
