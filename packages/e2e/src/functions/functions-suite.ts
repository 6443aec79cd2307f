import { apiConformance } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  adminKey,
  ask,
  type ServerProcess,
  type StartOptions,
  startServerProcess,
  temporaryData,
} from '../driver/server-process.ts';

const source = {
  name: 'Summarize Text',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
};

/** Walks area A of the interface specification against a server with Deno, and SQLite where `options` say nothing else. */
export function areaASuite(options: () => Promise<StartOptions> = async () => ({})): void {
  let server: ServerProcess;
  let data: Awaited<ReturnType<typeof temporaryData>>;
  beforeAll(async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path, await options());
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await data.remove();
  });

  apiConformance(
    { describe, it },
    {
      api: () => ({ url: server.url, token: adminKey }),
      topics: ['functions', 'requests', 'place'],
    },
  );

  describe('POST /functions/:id/execute', () => {
    it.each([
      ['export default', 'export default ({ text }) => ({ summary: text, points: [] })'],
      ['a function expression', '(async ({ text }) => ({ summary: text, points: [] }))'],
      ['main', 'export function main({ text }) { return { summary: text, points: [] } }'],
      ['handler', 'const handler = async ({ text }) => ({ summary: text, points: [] }); export { handler };'],
      [
        'TypeScript',
        'export default ({ text }: { text: string }): { summary: string; points: string[] } => ({ summary: text, points: [] })',
      ],
    ])('runs code in the form of %s', async (_, code) => {
      const created = await ask(server, 'POST', '/functions', { ...source, code });
      const path = `/functions/${String(created.body['id'])}`;
      const { status, body } = await ask(server, 'POST', `${path}/execute`, { input: { text: 'x' } });
      expect([status, body['output']]).toEqual([200, { summary: 'x', points: [] }]);
    });
  });

  describe('authentication', () => {
    it('is asked for on every endpoint that has data', async () => {
      const paths = ['/functions', '/functions/x', '/executions/x', '/functions/x/executions', '/functions/x/versions'];
      for (const path of paths) {
        const response = await fetch(server.url + path);
        expect([path, response.status]).toEqual([path, 401]);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    });
  });
}
