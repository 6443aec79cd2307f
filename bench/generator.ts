/**
 * Outputs of a function that is a generator: from its `yield` until the HTTP client has the event, next to a line through a bare
 * pipe from one process to another, alternately; how many arrive per second; and from the disconnect of a client until the
 * process of the function is gone.
 *
 *     tsc -b && node --conditions=source bench/generator.ts [streams]
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { ask, key, type ServerChild, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('generator');
const streams = Number(process.argv[2] ?? 100);
const MANY = 10_000;

const config = (isolation: string): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { isolation: ${isolation} } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
executions: { timeoutMs: 60000 }
`;
const server = await startPatchbay(config('fresh'));
const now = (): number => performance.timeOrigin + performance.now();
const clock = 'performance.timeOrigin + performance.now()';
const save = (name: string, code: string, { url } = server) =>
  ask(url, 'POST', '/functions', { name, input: { type: 'object' }, output: { type: 'object' }, code });
// The first output comes when the process has nothing else to do.
const wait = 'await new Promise((resolve) => setTimeout(resolve, 20));';
await save('Tell', `async function* tell() { ${wait} yield { at: ${clock} }; ${wait} }`);
await save('Count', `async function* count() { for (let n = 0; n < ${MANY}; n++) yield { n }; }`);

/** Call a function, and hand on what arrives. Ends with the response, or when the caller has enough. */
function stream(url: string, name: string, onText: (text: string, leave: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sending = request(`${url}/call/${name}`, { method: 'POST', headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => onText(text, () => sending.destroy()));
      response.once('close', resolve);
    });
    sending.once('error', reject);
    sending.end('{"stream":true}');
  });
}

async function firstOutput(): Promise<number> {
  let ms: number | undefined;
  await stream(server.url, 'tell', (text) => {
    const at = /"output":\{"at":([\d.]+)\}/.exec(text)?.[1];
    if (at !== undefined) ms ??= now() - Number(at);
  });
  if (ms === undefined) throw new Error('no output arrived');
  return ms;
}

const writer = `process.stdin.on('data', () => process.stdout.write(\`\${${clock}}\\n\`));`;
const pipe: ChildProcessWithoutNullStreams = spawn(process.execPath, ['-e', writer]);
async function bareLine(): Promise<number> {
  pipe.stdin.write('x');
  const [line] = (await once(pipe.stdout, 'data')) as [Buffer];
  return now() - Number(line);
}

async function perSecond(): Promise<number> {
  const start = performance.now();
  let text = '';
  await stream(server.url, 'count', (piece) => {
    text += piece;
  });
  const seconds = (performance.now() - start) / 1_000;
  const seen = [...text.matchAll(/^data: \{"output":\{"n":(\d+)\}\}$/gm)].map(([, n]) => Number(n));
  if (seen.length !== MANY || seen.some((n, index) => n !== index)) throw new Error(`${seen.length} outputs arrived`);
  return MANY / seconds;
}

/** Processes of the server with this pid that run functions. It keeps no warm ones. */
function running(serverPid: number): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => fileOf(pid, 'cmdline').includes('bootstrap/main.js') && isBelow(pid, serverPid));
}

function isBelow(pid: string, serverPid: number): boolean {
  const parent = Number(fileOf(pid, 'stat').split(') ')[1]?.split(' ')[1] ?? 0);
  return parent === serverPid || (parent > 1 && isBelow(String(parent), serverPid));
}

function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

async function untilGone({ url, pid }: ServerChild): Promise<number> {
  let left = 0;
  await stream(url, 'stay', (text, leave) => {
    if (left > 0 || !text.includes('delta')) return;
    left = performance.now();
    leave();
  }).catch(() => undefined);
  while (running(pid).length > 0) await new Promise(setImmediate);
  return performance.now() - left;
}

const first: number[] = [];
const bare: number[] = [];
for (let round = -5; round < streams; round += 1) {
  const [output, line] = [await firstOutput(), await bareLine()];
  if (round < 0) continue;
  first.push(output);
  bare.push(line);
}
const rates = [await perSecond(), await perSecond(), await perSecond()];
pipe.kill();
await server.stop();

const cold = await startPatchbay(config('cold'));
const stay = 'for (;;) { yield {}; await new Promise((resolve) => setTimeout(resolve, 5)); }';
await save('Stay', `async function* stay() { ${stay} }`, cold);
const gone: number[] = [];
for (let round = 0; round < 20; round += 1) gone.push(await untilGone(cold));
await cold.stop();

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
const rate = at(rates, 0.5);
console.log(`first output: p50 ${at(first, 0.5).toFixed(2)} ms, p99 ${at(first, 0.99).toFixed(2)} ms`);
console.log(`bare pipe: p50 ${at(bare, 0.5).toFixed(2)} ms, p99 ${at(bare, 0.99).toFixed(2)} ms`);
console.log(`${MANY} outputs in order: ${rate.toFixed(0)} per second`);
console.log(
  `process gone after a disconnect: p50 ${at(gone, 0.5).toFixed(1)} ms, most ${at(gone, 1 - 1e-9).toFixed(1)} ms`,
);
scorecard.record([
  { what: 'from `yield` to an HTTP client: p50', value: at(first, 0.5), unit: 'ms', target: { most: 5 } },
  { what: 'the same through a bare pipe: p50', value: at(bare, 0.5), unit: 'ms' },
  { what: `${MANY} outputs in order`, value: rate, unit: 'per second' },
  {
    what: 'from a disconnect until the process is gone: most',
    value: at(gone, 1 - 1e-9),
    unit: 'ms',
    target: { most: 250 },
  },
]);
