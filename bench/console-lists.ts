/**
 * Requests of the console on a server with very many rows: calls, executions and hours of usage. Rows are copies of real ones,
 * over the last 29 days.
 *
 *     pnpm build && node --conditions=source bench/console-lists.ts [rows] [folder]
 *
 * A folder is kept, and is not filled again. Ten million rows of each take 14 GB of disk and ten minutes.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleRequests } from './console-lists/console-requests.ts';
import { fillDatabase } from './console-lists/fill-database.ts';
import { ask, key, startPatchbay } from './server-child.ts';

const rows = Number(process.argv[2] ?? 10_000_000);
const kept = process.argv[3];
const ROUNDS = 15;

const folder = kept ?? (await mkdtemp(join(tmpdir(), 'patchbay-bench-')));
await mkdir(folder, { recursive: true });
const file = join(folder, 'patchbay.db');
const config = `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ${file} } }
secretFile: ${join(folder, 'secret')}
executor: { use: "@patchbay/executor-deno" }
providers: { demo: { use: "@patchbay/provider-demo" } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
`;

try {
  if (!existsSync(file)) await fill();
  const server = await startPatchbay(config);
  console.log(`listens after ${server.listeningMs.toFixed(0)} ms\n`);
  try {
    const { data } = await ask(server.url, 'GET', '/functions?limit=1');
    const [one] = data as readonly { readonly id: string }[];
    for (const [name, path] of consoleRequests(one?.id ?? ''))
      console.log(`${name.padEnd(52)} ${await timed(server.url, path)}`);
  } finally {
    await server.stop();
  }
} finally {
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
}

/** The first duration of a request, with whatever the disk cache holds of it, and the median of the others. */
async function timed(url: string, path: string): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (!response.ok) return `${response.status}`;
    times.push(performance.now() - start);
    // A request that takes seconds takes them every time.
    if (times.reduce((sum, ms) => sum + ms, 0) > 10_000) break;
  }
  const [first = 0, ...others] = times;
  const sorted = others.toSorted((a, b) => a - b);
  return `first ${first.toFixed(0).padStart(6)} ms   median ${(sorted[sorted.length >> 1] ?? first).toFixed(1).padStart(8)} ms`;
}

async function fill(): Promise<void> {
  const server = await startPatchbay(config);
  const schema = { type: 'object' };
  const code = 'export default (input) => input;';
  const { id } = await ask(server.url, 'POST', '/functions', { name: 'Echo', input: schema, output: schema, code });
  await ask(server.url, 'POST', `/functions/${String(id)}/execute`, { input: { text: 'a short text' } });
  const messages = [{ role: 'user', content: 'a short text' }];
  await ask(server.url, 'POST', '/chat', { model: 'demo/extractive', messages });
  // Stopping writes what is counted.
  await server.stop();
  const start = performance.now();
  fillDatabase(file, rows, String(id));
  console.log(
    `${rows.toLocaleString('en')} rows of each written in ${((performance.now() - start) / 1_000).toFixed(0)} s`,
  );
}
