import { toolServerConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import { createServer } from './fixtures/mounted-server.ts';
import { add, echo, startMcpServer } from './fixtures/start-mcp-server.ts';

const hang = { ...echo, name: 'hang', run: () => new Promise<never>(() => {}) };

toolServerConformance(
  { describe, it },
  {
    async create() {
      const upstream = await startMcpServer([add, hang]);
      const created = createServer({ url: upstream.url });
      return {
        server: created.server,
        works: { name: 'add', given: { a: 1, b: 2 } },
        hangs: { name: 'hang', given: { text: '' } },
        async dispose() {
          await created.stop();
          await upstream.stop();
        },
      };
    },
    createDown: () => createServer({ url: 'http://127.0.0.1:9/mcp' }).server,
  },
);
