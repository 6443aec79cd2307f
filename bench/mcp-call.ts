/**
 * The CPU of the server for a tool call by the Model Context Protocol, of both kinds of revisions, with that for
 * `POST /functions/:id/execute`, which runs the same function: alternately, in one run.
 *
 *     pnpm build && node --conditions=source bench/mcp-call.ts [calls]
 */
import { cpuSeconds, key, startPatchbay } from './server-child.ts';

const calls = Number(process.argv[2] ?? 200);
const ROUNDS = 5;
const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno" }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
`;
const server = await startPatchbay(config);
const input = { text: 'a' };
const json = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
  const init = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) };
  return await (await fetch(server.url + path, init)).text();
};
const echo = {
  name: 'Echo',
  input: { type: 'object' },
  output: { type: 'object' },
  code: 'export default (input) => input',
};
const { id } = JSON.parse(await post('/functions', echo)) as { readonly id: string };

const accept = 'application/json, text/event-stream';
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
const params = { name: 'echo', arguments: input };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const newest = { accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
const ways: Readonly<Record<string, () => Promise<string>>> = {
  'POST /functions/:id/execute': () => post(`/functions/${id}/execute`, { input }),
  'tools/call, 2026-07-28': () => post('/mcp', { ...message, params: { ...params, _meta: meta } }, newest),
  'tools/call, 2025-11-25': () =>
    post('/mcp', { ...message, params }, { accept, 'mcp-protocol-version': '2025-11-25' }),
};

/** CPU of the server process; the sandbox has its own processes. */
const cpu = (): number => cpuSeconds(server.pid) * 1_000;

const used = new Map<string, number>();
for (const way of Object.values(ways)) for (let round = 0; round < 50; round += 1) await way();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, way] of Object.entries(ways)) {
    const before = cpu();
    for (let call = 0; call < calls / ROUNDS; call += 1) {
      if (!(await way()).includes('"text":"a"')) throw new Error(`${name} did not return its input`);
    }
    used.set(name, (used.get(name) ?? 0) + cpu() - before);
  }
}
await server.stop();
const [first = 0] = used.values();
for (const [name, ms] of used)
  console.log(`${name}: ${(ms / calls).toFixed(2)} ms of CPU, ${(ms / first).toFixed(2)} times`);
