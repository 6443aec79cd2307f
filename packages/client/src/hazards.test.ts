import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, isDeepStrictEqual, promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { describe, expect, it, vi } from 'vitest';
import { type ProbeResult, probes, runProbes } from './fixtures/hazard-probes.ts';
import { createClient } from './index.ts';

const run = promisify(execFile);
const names = Object.keys(probes);
const faults = (results: readonly ProbeResult[]) => results.filter(({ fault }) => fault !== undefined);

const probesFile = fileURLToPath(new URL('./fixtures/hazard-probes.ts', import.meta.url));

function findDeno(): string {
  const fromDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  return join(
    dirname(fromDeno.resolve(`@deno/${platform}/package.json`)),
    process.platform === 'win32' ? 'deno.exe' : 'deno',
  );
}

describe('nothing that looks at the object calls the server or hangs', () => {
  it('on Node', async () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    const results = await runProbes();
    debug.mockRestore();
    expect(faults(results)).toEqual([]);
    expect(results.length).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(28);
  });

  it('on Deno', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'patchbay-client-deno-'));
    try {
      const script = join(folder, 'main.ts');
      const source = `import { runProbes } from ${JSON.stringify(pathToFileURL(probesFile).href)};
console.log('RESULT ' + JSON.stringify(await runProbes()));`;
      await writeFile(script, source);
      const flags = ['--no-check', '--no-config', '--no-lock', '--no-prompt', '--no-remote', '--no-npm'];
      const { stdout } = await run(findDeno(), ['run', ...flags, script], { env: { DENO_DIR: folder, NO_COLOR: '1' } });
      expect(faults(resultsIn(stdout))).toEqual([]);
      expect(resultsIn(stdout).length).toBe(names.length);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  // Where the machine has one. Nothing is downloaded for it.
  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  it.skipIf(chromium === undefined)('in Chromium', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'patchbay-client-chromium-'));
    try {
      const bundle = await rolldown({ input: probesFile });
      const { output } = await bundle.generate({ format: 'iife', name: 'hazards', codeSplitting: false });
      const show = `hazards.runProbes().then((results) => { document.body.textContent = 'RESULT ' + JSON.stringify(results); });`;
      const page = join(folder, 'page.html');
      await writeFile(page, `<!doctype html><meta charset="utf-8"><body><script>${output[0].code}\n${show}</script>`);
      const flags = [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
      ];
      const more = [`--user-data-dir=${folder}/profile`, '--virtual-time-budget=20000', '--dump-dom'];
      const { stdout } = await run(chromium as string, [...flags, ...more, pathToFileURL(page).href], {
        timeout: 25_000,
      });
      expect(faults(resultsIn(stdout))).toEqual([]);
      expect(resultsIn(stdout).length).toBe(names.length);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

function resultsIn(text: string): readonly ProbeResult[] {
  const [, json = '[]'] = /RESULT (\[.*\])/s.exec(text) ?? [];
  return JSON.parse(json) as readonly ProbeResult[];
}

describe('what Node and test runners do with the object', () => {
  const send = vi.fn<typeof fetch>(async () => new Response('{}'));
  const ai = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'a secret', fetch: send }).AI({
    one: { a: 'text' },
  });

  it.each([
    ['inspect', () => expect(inspect(ai)).toBe("PatchbayClient { url: 'http://127.0.0.1:9', declared: [one] }")],
    ['inspect, nested', () => expect(inspect({ a: { b: [ai] } }, { depth: 9 })).not.toContain('secret')],
    [
      'inspect with hidden members',
      () => expect(inspect(ai, { showHidden: true, showProxy: true })).not.toContain('secret'),
    ],
    ['toEqual', () => expect({ ai }).toEqual({ ai })],
    ['toMatchObject', () => expect({ ai, b: 1 }).toMatchObject({ b: 1 })],
    ['not.toEqual', () => expect(ai).not.toEqual({ other: 1 })],
    ['isDeepStrictEqual', () => expect(isDeepStrictEqual(ai, {})).toBe(false)],
    ['spy', () => expect(vi.spyOn(ai, 'one').mockRestore()).toBeUndefined()],
  ])('%s', (_name, probe) => {
    probe();
    expect(send).not.toHaveBeenCalled();
  });
});
