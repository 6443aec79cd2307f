import { apiConformance } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { useServer } from '../driver/use-server.ts';

const source = {
  name: 'Summarize Text',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
};

// The contract of the API on the real server, with Deno and SQLite. With PostgreSQL: `two-replicas.test.ts`; its gateway, with
// the adapters of vendors: `gateway.test.ts`.

const server = useServer();

apiConformance(
  { describe, it },
  { api: () => ({ url: server.process.url, token: adminKey }), topics: ['functions', 'requests', 'place'] },
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
    const created = await server.ask('POST', '/functions', { ...source, code });
    const path = `/functions/${String(created.body['id'])}`;
    const { status, body } = await server.ask('POST', `${path}/execute`, { input: { text: 'x' } });
    expect([status, body['output']]).toEqual([200, { summary: 'x', points: [] }]);
  });
});

describe('authentication', () => {
  it('guards every endpoint that returns data', async () => {
    const paths = ['/functions', '/functions/x', '/executions/x', '/functions/x/executions', '/functions/x/versions'];
    for (const path of paths) {
      const response = await fetch(server.process.url + path);
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});
