import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExecutionOutcome } from '@patchbay/core/plugin';
import type { ExecutorSuite, Subject } from './executor-under-test.ts';
import { hostilePrelude } from './hostile-prelude.ts';

const CANARY = 'canary-in-the-host';

interface Attempt {
  readonly expression: string;
  /** All that the host learns of it, as JSON. */
  readonly seen: string;
}

/**
 * Try expressions in functions. They share a run, because starting it takes most of the time; where that run does not
 * complete, each has its own.
 */
async function attempt(subject: Subject, expressions: readonly string[]): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for (const pretend of ['', 'pretend();']) {
    // Pretending would answer for what is taken away, instead of the runtime.
    const some = expressions.filter((expression) => pretend === '' || !expression.includes('Deno.'));
    const together = await tryAll(subject, some, pretend);
    attempts.push({ expression: some.join('; '), seen: JSON.stringify(together) });
    if (together.status === 'completed') {
      const { seen } = JSON.parse(together.output) as { readonly seen: readonly string[] };
      for (const [index, expression] of some.entries())
        attempts.push({ expression, seen: JSON.stringify(seen[index]) });
      continue;
    }
    for (const expression of some) {
      attempts.push({ expression, seen: JSON.stringify(await tryAll(subject, [expression], pretend)) });
    }
  }
  return attempts;
}

async function tryAll(subject: Subject, expressions: readonly string[], pretend: string): Promise<ExecutionOutcome> {
  const code = `async (input) => {
    ${hostilePrelude}
    ${pretend}
    const show = (value) => (typeof value === 'string' ? value : JSON.stringify(value) ?? String(value));
    const seen = [];
    for (const attempt of [${expressions.map((expression) => `async () => ${expression}`).join(', ')}]) {
      const text = await attempt().then(show).catch((error) => 'refused: ' + error?.message);
      console.log(text);
      seen.push(text);
    }
    return { seen };
  }`;
  return await subject.run(code, { input: { parent: process.pid }, limits: { wallMs: 5000 } });
}

/** The guarantee of `isolation`: code has its input, and no access to the machine. */
export function isolationSuite({ runner, it, options }: ExecutorSuite): void {
  if (!options.capabilities?.includes('isolation')) return;
  runner.describe('isolation', () => {
    it('no files can be read', async (subject) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'));
      const file = path.join(folder, 'canary.txt');
      const module = path.join(folder, 'canary.mjs');
      try {
        await writeFile(file, CANARY);
        await writeFile(module, `export default ${JSON.stringify(CANARY)};`);
        await writeFile(path.join(folder, 'canary.json'), JSON.stringify({ text: CANARY }));
        const [quoted, url, moduleUrl] = [file, pathToFileURL(file).href, pathToFileURL(module).href].map((text) =>
          JSON.stringify(text),
        );
        const json = JSON.stringify(pathToFileURL(path.join(folder, 'canary.json')).href);
        const nested = `'data:text/javascript,' + encodeURIComponent('export { default } from ' + ${JSON.stringify(moduleUrl)})`;
        for (const { expression, seen } of await attempt(subject, [
          `Deno.readTextFileSync(${quoted})`,
          `(await fs()).readFileSync(${quoted}, 'utf8')`,
          `(await fs()).promises.readFile(${quoted}, 'utf8')`,
          `(await fs()).readdirSync(${JSON.stringify(folder)})`,
          `(await load(${url}, { with: { type: 'text' } })).default`,
          `(await load(${json}, { with: { type: 'json' } })).default`,
          `(await load(${moduleUrl})).default`,
          `(await load(${nested})).default`,
          `evaluate('import(' + ${JSON.stringify(moduleUrl)} + ')').then((module) => module.default)`,
          `(await (await fetch(${url})).text())`,
          `(await node('module')).createRequire('file:///x.js')(${quoted})`,
          `(await fs()).readFileSync('/proc/self/environ', 'utf8') + '${CANARY}'`,
          `(await fs()).readFileSync('/proc/' + input.parent + '/environ', 'utf8') + '${CANARY}'`,
        ])) {
          assert.ok(!seen.includes(CANARY), expression);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('no files can be written', async (subject) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'));
      try {
        const file = JSON.stringify(path.join(folder, 'written'));
        await attempt(subject, [
          `Deno.writeTextFileSync(${file}, 'x')`,
          `(await fs()).writeFileSync(${file}, 'x')`,
          `(await fs()).mkdtempSync(${file})`,
          `(await node('v8')).writeHeapSnapshot(${file})`,
          `new (await load('node:sqlite')).DatabaseSync(${file}).exec('create table t (a)')`,
        ]);
        assert.deepEqual(await readdir(folder), []);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('no environment can be read', async (subject) => {
      for (const { expression, seen } of await attempt(subject, [
        `Deno.env.toObject()`,
        `Deno.env.get('HOST_SECRET')`,
        `({ ...(await node('process')).env })`,
        `(await node('process')).env.HOST_SECRET`,
        `(await node('process')).report.getReport()`,
      ])) {
        assert.ok(!seen.includes(CANARY), expression);
      }
    });

    it('no network can be reached', async (subject) => {
      let connections = 0;
      const server = createServer((socket) => {
        connections++;
        socket.destroy();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      try {
        for (const { expression, seen } of await attempt(subject, [
          `fetch('http://127.0.0.1:${port}/')`,
          `Deno.connect({ hostname: '127.0.0.1', port: ${port} })`,
          `new Promise((resolve) => { const socket = new WebSocket('ws://127.0.0.1:${port}'); socket.onerror = resolve; })`,
          `load('http://127.0.0.1:${port}/x.js')`,
          `new Promise(async (resolve, reject) => (await node('http')).get('http://127.0.0.1:${port}', resolve).on('error', reject))`,
          `new Promise(async (resolve, reject) => (await node('net')).connect(${port}, '127.0.0.1', resolve).on('error', reject))`,
          `(await node('dns')).promises.lookup('localhost').then(() => 'found ${CANARY}')`,
          `(await node('inspector')).open(0)`,
        ])) {
          assert.ok(!seen.includes(`found ${CANARY}"`), expression);
        }
        assert.equal(connections, 0);
      } finally {
        server.close();
      }
    });

    it('no process can be started, ended or asked about', async (subject) => {
      for (const { expression, seen } of await attempt(subject, [
        `new Deno.Command('/bin/echo', { args: ['${CANARY}'] }).outputSync().stdout.length + 'ran'`,
        `(await node('child_process')).execFileSync('/bin/echo', ['x']).length + 'ran'`,
        `(await node('process')).kill(input.parent, 0) + 'ran'`,
        `(await node('process')).kill(-1, 0) + 'ran'`,
        `Deno.dlopen('libc.so.6', {}) + 'ran'`,
        `(await node('process')).dlopen({ exports: {} }, '/lib/libc.so.6') + 'ran'`,
        `((await node('os')).hostname() === ${JSON.stringify(hostname())} ? 'it ran' : 'other')`,
        `Number.isInteger((await node('os')).userInfo().uid) + ' ran'`,
      ])) {
        assert.doesNotMatch(seen, /ran\\*"/u, expression);
      }
    });

    it('nothing is kept from one run to the next', async (subject) => {
      const leave = `async () => {
        ${hostilePrelude}
        pretend();
        const tries = [
          () => { globalThis.left = 1; },
          () => { Object.prototype.left = 1; },
          () => { (localStorage ?? sessionStorage).setItem('left', '1'); },
          async () => { (await caches.open('left')).put('http://x/', new Response('1')); },
          async () => { (await node('process')).env.LEFT = '1'; },
          async () => { (await fs()).writeFileSync('/tmp/left', '1'); },
        ];
        for (const attempt of tries) try { await attempt(); } catch {}
        return {};
      }`;
      const find = `async () => {
        ${hostilePrelude}
        pretend();
        const tries = [
          () => globalThis.left,
          () => ({}).left,
          () => localStorage.getItem('left'),
          async () => (await (await caches.open('left')).match('http://x/'))?.text(),
          async () => ((await node('process')).env.LEFT === '1' ? 'left' : undefined),
          async () => (await fs()).readFileSync('/tmp/left', 'utf8'),
        ];
        const found = [];
        for (const attempt of tries) try { found.push((await attempt()) ?? null); } catch { found.push(null); }
        return { found };
      }`;
      await subject.run(leave);
      const output = JSON.stringify(await subject.run(find));
      assert.match(output, /\[null,null,null,null,null,null\]/u);
    });
  });
}

/** Put a secret where a host has them, for as long as the tests run. */
export function plantSecret(): () => void {
  process.env['HOST_SECRET'] = CANARY;
  return () => {
    delete process.env['HOST_SECRET'];
  };
}
