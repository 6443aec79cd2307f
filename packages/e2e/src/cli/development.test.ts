import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runServer } from '../driver/run-server.ts';
import type { LogEntry } from '../driver/server-log.ts';
import { type ServerProcess, startServerProcess } from '../driver/server-process.ts';

// `patchbay dev` as a process, with files that are changed as editors change them.

const folder = mkdtempSync(join(tmpdir(), 'patchbay-dev-'));
const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
};
const start = (...args: string[]) =>
  startServerProcess(folder, { arguments: ['dev', '--json', ...args], env: { PATCHBAY_BOOTSTRAP_KEY: '' } });
const cli = (...args: string[]) => runCli({ cwd: folder }, ...args);

const provider = (names: string) => `import { modelsOf } from './models.ts';
export default {
  $$type: 'patchbay.plugin',
  contractVersion: 1,
  definition: {
    name: 'mine', kind: 'provider', version: 1, config: { properties: {} },
    create: () => ({ models: async () => modelsOf(${names}), chat: async () => { throw new Error('no'); } }),
  },
};
`;
const models = (name: string) =>
  `export const modelsOf = (names: string[]) => names.map((each) => ({ name: ${name}, capabilities: ['chat'], maxTokens: 1000 }));\n`;

let server: ServerProcess;
let seen = 0;
/** The next entries of the log up to the one that fits. */
async function next(fits: RegExp): Promise<LogEntry> {
  for (;;) {
    const found = server.log.findIndex((entry, index) => index >= seen && fits.test(entry.message));
    if (found >= 0) {
      seen = found + 1;
      return server.log[found] as LogEntry;
    }
    await server.entry();
  }
}

beforeAll(async () => {
  await cli('init');
  server = await start();
});
afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the folder of functions', () => {
  it('is pushed and tested at startup', async () => {
    expect(await next(/^created summarizeText$/)).toMatchObject({ outcome: 'created', id: expect.any(String) });
    expect(await next(/2 tests passed/)).toMatchObject({ passed: 2, failed: 0 });
  });

  it('provides the key for commands run inside it', async () => {
    const { code, stdout } = await cli('functions', 'run', 'summarizeText', '--input', '{"text":"One. Two."}');
    expect([code, JSON.parse(stdout)]).toEqual([0, { points: ['One.', 'Two.'] }]);
    const key = path('.patchbay/development-key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(path('.patchbay/.gitignore'), 'utf8')).toBe('*\n');
    expect(server.errors()).toContain(readFileSync(key, 'utf8').trim());
  });

  it('shows faults of code with file, line and column, and the server keeps its version', async () => {
    const file = 'functions/summarizeText/code.ts';
    const before = readFileSync(path(file), 'utf8');
    write(file, before.replace('return {', 'const n: number = text;\n  return {'));
    const { problems } = await next(/^summarizeText was not pushed/);
    expect(problems).toEqual([expect.stringMatching(/^functions\/summarizeText\/code\.ts:3:9 .*'number'/)]);
    expect((await cli('functions', 'run', 'summarizeText', '-i', '{"text":"One."}')).code).toBe(0);
    // As editors save: another file takes the place of this one.
    write('functions/summarizeText/code.ts~', before.replace('.trim()', '.trim().toUpperCase()'));
    renameSync(path('functions/summarizeText/code.ts~'), path(file));
    expect(await next(/^updated summarizeText$/)).toMatchObject({ outcome: 'updated' });
    expect((await next(/1 of 2 tests failed/))['problems']).toEqual([
      expect.stringMatching(/^functions\/summarizeText\/tests\.yaml:3:5 returns the requested /),
      '  expected  {"points":["One.","Two!"]}',
      '  actual    {"points":["ONE.","TWO!"]}',
    ]);
    write(file, before);
    await next(/^updated summarizeText$/);
    await next(/2 tests passed/);
  });

  it('shows what every run logs, and why it fails, with places in the file of the code', async () => {
    const definition = { type: 'object', properties: { fails: { type: 'boolean' } } };
    write(
      'functions/talks/function.yaml',
      `name: Talks\ninput: ${JSON.stringify(definition)}\noutput: { type: object }\n`,
    );
    const text =
      "export default ({ fails }: any) => {\n  console.log('at work');\n  if (fails) throw new Error('kaput');\n  return {};\n};\n";
    write('functions/talks/code.ts', text);
    await next(/^created talks$/);
    expect((await cli('functions', 'run', 'Talks')).code).toBe(0);
    expect(await next(/at work/)).toMatchObject({ level: 'info', message: 'Talks: at work' });
    expect((await cli('functions', 'run', 'talks', '-i', '{"fails":true}')).stderr).toContain(
      'functions/talks/code.ts:3:20',
    );
    expect((await next(/at work/)).message).toBe('Talks: at work');
    const failed = {
      level: 'error',
      message: 'Talks failed: function_failed: kaput',
      problems: [expect.stringMatching(/^at .*functions\/talks\/code\.ts:3:20\)?$/)],
    };
    expect(await next(/failed/)).toMatchObject(failed);

    const key = readFileSync(path('.patchbay/development-key'), 'utf8').trim();
    const post = async (to: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
      const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
      const response = await fetch(`${server.url}${to}`, { method: 'POST', headers: all, body: JSON.stringify(body) });
      return response.status;
    };
    const { stdout } = await cli('functions', 'get', 'Talks', '--json');
    const { id } = JSON.parse(stdout) as { readonly id: string };
    const input = { fails: true };
    expect(await post(`/functions/${id}/execute`, { input }, { prefer: 'respond-async' })).toBe(202);
    expect((await next(/at work/)).message).toBe('Talks: at work');
    expect(await next(/failed/)).toMatchObject(failed);

    expect(
      await post('/functions/test', { function: { input: definition, output: { type: 'object' }, code: text }, input }),
    ).toBe(422);
    expect((await next(/at work/)).message).toBe('talks: at work');
    expect(await next(/failed/)).toMatchObject({ ...failed, message: 'talks failed: function_failed: kaput' });

    write(
      'functions/asks/code.ts',
      "export default async (_: any, { functions }: any) => {\n  await functions.call('Talks', { fails: true }).catch(() => {});\n  return {};\n};\n",
    );
    write('functions/asks/function.yaml', 'name: Asks\ninput: { type: object }\noutput: { type: object }\n');
    await next(/^created asks$/);
    expect((await cli('functions', 'run', 'Asks')).code).toBe(0);
    expect((await next(/at work/)).message).toBe('Talks: at work');
    expect(await next(/failed/)).toMatchObject(failed);
    for (const name of ['talks', 'asks']) {
      rmSync(path(`functions/${name}`), { recursive: true });
      await next(new RegExp(`^${name} is gone`));
    }
  });

  it('shows faults of schemas and of YAML with their place', async () => {
    const file = 'functions/summarizeText/function.yaml';
    const before = readFileSync(path(file), 'utf8');
    write(file, before.replace('type: string', 'type: strin'));
    expect((await next(/^summarizeText was not pushed/))['problems']).toEqual([
      expect.stringMatching(/^functions\/summarizeText\/function\.yaml:6:19 input\.properties\.text\.type /),
    ]);
    write(file, 'name: [\n');
    expect((await next(/^summarizeText was not pushed/))['problems']).toEqual([
      expect.stringMatching(/^functions\/summarizeText\/function\.yaml:\d+:\d+ /),
    ]);
    write(file, before);
    await next(/^unchanged summarizeText$/);
  });

  it('makes a function of a new folder, and deletes none with its folder', async () => {
    write('functions/double/code.ts', 'export default ({ n }: { n: number }) => ({ twice: 2 * n });\n');
    const number = '{ type: object, properties: { %: { type: number } }, required: [%] }';
    const schemas = `input: ${number.replaceAll('%', 'n')}\noutput: ${number.replaceAll('%', 'twice')}\n`;
    write('functions/double/function.yaml', `name: double\n${schemas}`);
    await next(/^created double$/);
    expect(readFileSync(path('functions/double/types.d.ts'), 'utf8')).toContain(
      'type Output = ({ "twice": (number) });',
    );
    write('functions/twin/function.yaml', `name: double\n${schemas}`);
    expect((await next(/^twin was not pushed/))['problems']).toEqual([expect.stringContaining('as double has')]);
    rmSync(path('functions/twin'), { recursive: true });
    await next(/^twin is gone/);
    rmSync(path('functions/double'), { recursive: true });
    await next(/^double is gone from here, and stays on the server/);
    expect((await cli('functions', 'run', 'double', '-i', '{"n":2}')).stdout).toContain('"twice": 4');
  });

  it('ends with what was written last, however it was written', async () => {
    const times = 40;
    write('functions/storm/function.yaml', `name: storm\ninput: { type: object }\noutput: { type: object }\n`);
    for (let time = 1; time <= times; time += 1) {
      write('functions/storm/code.ts', '');
      await setImmediate();
      write('functions/storm/code.ts', 'export default () => ({');
      if (time % 10 === 5) rmSync(path('functions/storm/code.ts'));
      write('functions/storm/code.ts.new', `export default () => ({ time: ${time} });\n`);
      renameSync(path('functions/storm/code.ts.new'), path('functions/storm/code.ts'));
      if (time % 20 === 10) renameSync(path('functions'), path('functions.away'));
      await setImmediate();
      if (time % 20 === 10) renameSync(path('functions.away'), path('functions'));
    }
    let answer = '';
    while (!answer.includes(`"time": ${times}`)) {
      await next(/^(created|updated|unchanged) storm$/);
      answer = (await cli('functions', 'run', 'storm')).stdout;
    }
    rmSync(path('functions/storm'), { recursive: true });
    expect(await next(/^storm is gone/)).toMatchObject({ function: 'storm' });
  });

  it('never overwrites changes that were made on the server', async () => {
    expect((await cli('functions', 'set', 'summarizeText', 'temperature=0.5')).code).toBe(0);
    const file = 'functions/summarizeText/code.ts';
    write(file, `${readFileSync(path(file), 'utf8')}// mine\n`);
    expect((await next(/^summarizeText was not pushed/))['problems']).toContain(
      'it was changed on the server since the last sync',
    );
    expect((await cli('functions', 'push', '--force')).code).toBe(0);
  });
});

describe('the config', () => {
  const config = (more: string) => {
    const before = readFileSync(path('patchbay.config.yaml'), 'utf8');
    write('patchbay.config.yaml', before.replace('providers:\n', `providers:\n${more}`));
  };

  it('reloads with a plugin by path, which is loaded again when it or an import of it changes', async () => {
    write('models.ts', models('each'));
    write('mine.ts', provider("['a']"));
    config('  mine: { use: ./mine.ts }\n');
    expect(await next(/^reloaded the config$/)).toMatchObject({ changed: ['providers.mine'] });
    write('mine.ts', provider("['a', 'b']"));
    expect(await next(/^reloaded the config$/)).toMatchObject({ changed: ['providers.mine.use'] });
    write('models.ts', models("each + '2'"));
    await next(/^changed: models\.ts$/);
    expect(await next(/^reloaded the config$/)).toMatchObject({ changed: ['providers.mine.use'] });
    expect((await cli('models', 'list')).stdout).toMatch(/mine\/b2/);
  });

  it('stays in force where the new one is invalid; every problem is shown with its place', async () => {
    write('mine.ts', `${provider("['c']")}throw new Error('half a plugin');\n`);
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([
      expect.stringMatching(/^patchbay\.config\.yaml:\d+:\d+ providers\.mine\.use .*mine\.ts:10:7 half a plugin$/),
    ]);
    expect((await cli('models', 'list')).stdout).toMatch(/mine\/b2/);
    write('mine.ts', 'const a = 1;\nconst b: = 2;\n');
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([
      expect.stringMatching(/ mine\.ts:2:10 /),
    ]);
    write('part.mjs', 'const a = 1;\nconst b = = 2;\n');
    write('mine.ts', "import './part.mjs';\n");
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([
      expect.stringMatching(/ part\.mjs:2:11 /),
    ]);
    write('mine.ts', "import './missing.ts';\n");
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([expect.stringContaining('missing.ts')]);
    write('missing.ts', "throw new Error('still not');\n");
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([expect.stringContaining('still not')]);
    write('mine.ts', provider("['d']"));
    await next(/^reloaded the config$/);
    expect((await cli('models', 'list')).stdout).toMatch(/mine\/d2/);
  });

  it('restarts on the same port where a reload is not enough, and rolls back where that fails', async () => {
    const { url } = server;
    const before = readFileSync(path('patchbay.config.yaml'), 'utf8');
    write('patchbay.config.yaml', `${before}autoMigrate: false\n`);
    expect(await next(/^restarted with/)).toMatchObject({ needsRestart: ['autoMigrate'] });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await next(/^unchanged summarizeText$/);
    expect(server.log.map(({ message }) => message)).not.toContain('part of the new config requires a restart');
    write('patchbay.config.yaml', before.replace('/patchbay.db"', '/no/such/folder/\0"'));
    await next(/^the config was not reloaded$/);
    expect((await cli('functions', 'list')).code).toBe(0);
    write('patchbay.config.yaml', before.replace('patchbay: 1', 'patchbay: 1\nserver: { host: 0.0.0.0 }'));
    expect((await next(/^the config was not reloaded$/))['problems']).toEqual([
      expect.stringContaining('other machines may reach 0.0.0.0'),
    ]);
  });
});

describe('another port in the config', () => {
  const freePort = async (): Promise<number> => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  };

  it('is announced with the new address, and a second server explains how to proceed', async () => {
    const other = mkdtempSync(join(tmpdir(), 'patchbay-dev-port-'));
    const config = async () => {
      const port = await freePort();
      writeFileSync(join(other, 'patchbay.config.yaml'), `patchbay: 1\nserver: { port: ${port} }\n`);
      return port;
    };
    await config();
    const env = { PATCHBAY_BOOTSTRAP_KEY: '', PORT: '' };
    const moved = await startServerProcess(other, { arguments: ['dev', '--json'], env });
    try {
      const port = await config();
      const isMoved = () => moved.log.find(({ message }) => message.startsWith('restarted with'));
      while (!isMoved()) await moved.entry();
      expect(isMoved()?.message).toBe(`restarted with the new config, and listens on http://127.0.0.1:${port} now`);
      // Without the command on the PATH, as in a folder outside the clone.
      const second = runServer(other, { ...env, PATH: '/usr/bin:/bin' }, ['dev']);
      expect(await second.ended()).toBe(1);
      expect(second.output.stderr).toContain(
        `127.0.0.1:${port} is in use by another process; stop that one, such as "npm start"`,
      );
      expect(second.output.stderr).toMatch(/ or "\S*node .*main\.\w+ serve", or use another port/);
    } finally {
      await moved.end('SIGKILL');
      rmSync(other, { recursive: true, force: true });
    }
  });
});

describe('where it must not run', () => {
  it('refuses production, and addresses that others may reach', async () => {
    rmSync(path('patchbay.config.yaml'));
    const production = await runCli({ cwd: folder, env: { NODE_ENV: 'production' } }, 'dev');
    expect(production).toMatchObject({ code: 2, stderr: expect.stringMatching(/: use ".*patchbay serve"/) });
    const open = await cli('dev', '--host', '0.0.0.0');
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('other machines may reach 0.0.0.0') });
  });
});

describe('Ctrl-C', () => {
  it.skipIf(process.platform === 'win32')('stops it with all of its processes and removes its address', async () => {
    const children = () => execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' });
    const own = new RegExp(`^ *${server.process.pid} +(\\d+)$`, 'gm');
    let ids: (string | undefined)[] = [];
    // A run starts a process for functions, which ends if the server restarts after that, as its config was removed before.
    const run = async () => {
      const { code } = await cli('functions', 'run', 'summarizeText', '-i', '{"text":"One."}');
      ids = [...children().matchAll(own)].map(([, id]) => id);
      return code === 0 ? ids.length : 0;
    };
    await expect.poll(run).toBeGreaterThan(0);
    expect(await server.end('SIGINT')).toEqual({ code: 0 });
    // The kernel ends those that hang on to the server, a moment after it.
    const alive = () => {
      const all = new Set(children().match(/\d+$/gm));
      return ids.filter((id) => id !== undefined && all.has(id));
    };
    await expect.poll(alive).toEqual([]);
    expect(existsSync(path('.patchbay/development-server.json'))).toBe(false);
  });
});
