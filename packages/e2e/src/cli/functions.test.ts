import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, runServer } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Functions as files, against a real server: from `init` to a conflicting change on the server.

const server = useServerHere();
const folder = newFolder();
const key = 'summarizeText';
const file = (name: string) => join(folder, 'functions', key, name);
const environment = () => ({ PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey });
const cli = (...args: string[]) => runCli({ cwd: folder, env: environment() }, ...args);
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
/** As a separate process. */
const binary = async (...args: string[]) => {
  const process = runServer(folder, environment(), args);
  return { code: await process.ended(), ...process.output };
};

beforeAll(async () => {
  const { code, stderr } = await runCli({ cwd: folder }, 'init');
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('functions as files', () => {
  it('init writes them once, and keeps what is there', async () => {
    const before = readFileSync(join(folder, 'patchbay.config.yaml'), 'utf8');
    writeFileSync(join(folder, 'patchbay.config.yaml'), `${before}# mine\n`);
    const again = await runCli({ cwd: folder }, 'init', '--json');
    expect(lines(again.stdout).map(({ outcome }) => outcome)).toEqual(Array(9).fill('kept'));
    expect(readFileSync(join(folder, 'patchbay.config.yaml'), 'utf8')).toContain('# mine');
    expect(readdirSync(join(folder, 'functions', key)).sort()).toEqual([
      'code.ts',
      'function.yaml',
      'tests.yaml',
      'tsconfig.json',
      'types.d.ts',
    ]);
  });

  it('init writes types with which an editor checks the code as the server does', async () => {
    const check = (compiler: string) => {
      const program = fileURLToPath(new URL(`../../../../node_modules/${compiler}/bin/tsc`, import.meta.url));
      const { status, stdout } = spawnSync(process.execPath, [program, '-p', `functions/${key}`], {
        cwd: folder,
        encoding: 'utf8',
      });
      return [status, stdout];
    };
    const code = readFileSync(file('code.ts'), 'utf8');
    const rich = code.replace('(Input): Output =>', '').replace(/^.*\n/, '');
    for (const compiler of ['typescript', 'typescript-5']) {
      expect(check(compiler)).toEqual([0, '']);
      writeFileSync(
        file('code.ts'),
        `export default async ({ text, maxPoints }: Input, { log, ai }: Context): Promise<Output> => {
  log.info(maxPoints.toFixed(), (await ai.generate({ prompt: text })).text);
  console.log(text.size);
${rich}`,
      );
      expect(check(compiler)).toEqual([
        expect.any(Number),
        expect.stringMatching(/^functions\/summarizeText\/code\.ts[(:]3[,:]20.*'size' does not exist on type 'string'/),
      ]);
      writeFileSync(file('code.ts'), code);
    }
  });

  it('test runs their tests in the jail of the server, and stores nothing', async () => {
    expect(await cli('functions', 'test')).toEqual({
      code: 0,
      stdout: `passed  ${key}: returns the requested number of sentences\npassed  ${key}: needs a text\n`,
      stderr: '2 passed, 0 failed\n',
    });
    expect((await cli('functions', 'list')).stderr).toBe('0 functions\n');
  });

  it('test tells where code has thrown, in the file that it is in', async () => {
    const code = readFileSync(file('code.ts'), 'utf8');
    writeFileSync(
      file('code.ts'),
      code.replace('  return {', "  if (maxPoints === 2) throw new Error('two');\n  return {"),
    );
    const { code: failed, stdout } = await cli('functions', 'test');
    writeFileSync(file('code.ts'), code);
    expect(failed).toBe(1);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      `failed  ${key}: returns the requested number of sentences`,
      '  expected  {"points":["One.","Two!"]}',
      expect.stringMatching(
        /^ {2}actual {4}the error function_failed: .*two.*, at functions\/summarizeText\/code\.ts:3:30$/,
      ),
      `passed  ${key}: needs a text`,
    ]);
  });

  it('test shows what was expected beside what came', async () => {
    const tests = readFileSync(file('tests.yaml'), 'utf8');
    writeFileSync(file('tests.yaml'), tests.replace('[One., Two!]', '[One.]'));
    const { code: failed, stdout } = await cli('functions', 'test');
    const [told] = lines((await cli('functions', 'test', '--json')).stdout);
    writeFileSync(file('tests.yaml'), tests);
    expect(failed).toBe(1);
    expect(stdout).toContain('  expected  {"points":["One."]}\n  actual    {"points":["One.","Two!"]}\n');
    expect(told).toMatchObject({ outcome: 'failed', fault: { expected: '{"points":["One."]}' } });
  });

  it('run shows of code that throws its logs, the error and the stack in the file that it is in', async () => {
    const code = readFileSync(file('code.ts'), 'utf8');
    writeFileSync(
      file('code.ts'),
      code.replace('  return {', "  console.log('at work');\n  throw new Error('kaput');\n  return {"),
    );
    const run = await cli('functions', 'run', `./functions/${key}`, '-i', '{"text":"One."}');
    writeFileSync(file('code.ts'), code);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr.split('\n')).toEqual([
      'info at work',
      `patchbay: ./functions/${key} failed: function_failed: kaput`,
      expect.stringMatching(/^ {4}at .*functions\/summarizeText\/code\.ts:4:9\)?$/),
      expect.stringMatching(/^ {2}request: request_/),
      '',
    ]);
  });

  it.skipIf(process.platform !== 'linux')('init says so where no folder can be made', async () => {
    const { code, stderr } = await runCli({ cwd: folder }, 'init', '/proc/patchbay-x');
    expect([code, stderr]).toEqual([2, 'patchbay: /proc/patchbay-x cannot be made: nothing can be there\n']);
  });

  it('diff shows that they are not stored yet, push stores them, and then there is no difference', async () => {
    const { code, stdout } = await binary('functions', 'diff');
    expect(code).toBe(5);
    expect(stdout).toContain(`+++ local/${key}/code.ts`);
    expect(stdout).toContain('+export default ({ text, maxPoints }');
    expect(await cli('functions', 'push', '--dry-run')).toMatchObject({
      code: 0,
      stdout: `would be created  ${key}\n`,
    });
    const pushed = await binary('functions', 'push', '--json');
    expect(pushed.code).toBe(0);
    expect(lines(pushed.stdout)).toEqual([
      { key, name: 'Summarize Text', outcome: 'created', id: expect.stringMatching(/^function_/) },
    ]);
    expect(await cli('functions', 'diff')).toEqual({ code: 0, stdout: '', stderr: 'no differences\n' });
    expect((await cli('functions', 'push')).stdout).toMatch(/^unchanged {2}summarizeText/);
  });

  it('run executes what is stored, by name and key, and what is in a folder', async () => {
    const input = '{"text":"One. Two. Three.","maxPoints":1}';
    for (const name of ['Summarize Text', key, `./functions/${key}`]) {
      const { code, stdout } = await cli('functions', 'run', name, '--input', input);
      expect([code, JSON.parse(stdout)]).toEqual([0, { points: ['One.'] }]);
    }
    const piped = await runCli(
      { cwd: folder, env: environment(), input },
      'functions',
      'run',
      key,
      '-i',
      '-',
      '--json',
    );
    expect(JSON.parse(piped.stdout)).toMatchObject({ source: 'stored', output: { points: ['One.'] } });
    const logs = await cli('functions', 'logs', key);
    expect(logs.stderr).toMatch(/^execution_\w+: completed\n$/);
  });

  it('push updates the types of the code if the schemas have changed, also for code that does not fit them', async () => {
    const definition = readFileSync(file('function.yaml'), 'utf8');
    const types = readFileSync(file('types.d.ts'), 'utf8');
    writeFileSync(file('function.yaml'), definition.replaceAll('maxPoints', 'most'));
    await cli('functions', 'push', '--dry-run');
    expect(readFileSync(file('types.d.ts'), 'utf8')).toBe(types);
    expect((await cli('functions', 'push')).stdout).toMatch(/^failed/);
    expect(readFileSync(file('types.d.ts'), 'utf8')).toBe(types.replaceAll('maxPoints', 'most'));
    writeFileSync(file('function.yaml'), definition);
    expect((await cli('functions', 'push')).stdout).toMatch(/^unchanged/);
    expect(readFileSync(file('types.d.ts'), 'utf8')).toBe(types);
  });

  it('push writes types for a folder that was made by hand, and keeps the files of its author', async () => {
    const made = join(folder, 'by-hand');
    const path = (name: string) => join(made, 'twice', name);
    mkdirSync(join(made, 'twice'), { recursive: true });
    const number = '{ type: object, properties: { n: { type: number } }, required: [n] }';
    writeFileSync(path('function.yaml'), `name: twice\ninput: ${number}\noutput: ${number}\n`);
    writeFileSync(path('code.ts'), 'export default ({ n }: Input): Output => ({ n: 2 * n });\n');
    writeFileSync(join(made, 'tsconfig.json'), '{}\n');
    const push = (...more: string[]) => cli('functions', 'push', '--dir', 'by-hand', ...more);
    expect((await push('--dry-run')).code).toBe(0);
    expect(readdirSync(path('.')).sort()).toEqual(['code.ts', 'function.yaml']);
    expect((await push()).stdout).toMatch(/^created {2}twice/);
    expect(readFileSync(path('types.d.ts'), 'utf8')).toContain('type Input = ({ "n": (number) });');
    expect(readdirSync(made).sort()).toEqual(['.patchbay', 'patchbay.d.ts', 'tsconfig.json', 'twice']);
    expect(readFileSync(join(made, 'tsconfig.json'), 'utf8')).toBe('{}\n');
    writeFileSync(path('types.d.ts'), 'type Input = { n: 1 };\ntype Output = Input;\n');
    expect((await push()).stdout).toMatch(/^unchanged {2}twice/);
    expect(readFileSync(path('types.d.ts'), 'utf8')).toBe('type Input = { n: 1 };\ntype Output = Input;\n');
    expect((await cli('functions', 'delete', 'twice', '--yes')).code).toBe(0);
  });

  it('a change is pushed with If-Match, so that a change of someone else is not lost', async () => {
    const code = readFileSync(file('code.ts'), 'utf8');
    writeFileSync(file('code.ts'), code.replace('.trim()', '.trim().toUpperCase()'));
    expect((await cli('functions', 'push')).stdout).toMatch(/^updated/);

    const [stored] = lines((await cli('functions', 'list', '--json')).stdout);
    const got = JSON.parse((await cli('functions', 'get', key, '--json')).stdout) as Record<string, unknown>;
    const theirs = { ...got, description: 'Changed on the server.' };
    expect((await server.ask('PUT', `/functions/${String(stored?.['id'])}`, theirs)).status).toBe(200);
    writeFileSync(file('code.ts'), code);
    const refused = await cli('functions', 'push');
    expect(refused).toMatchObject({ code: 5, stdout: expect.stringMatching(/^changed there/) });
    expect(refused.stderr).toContain('push with --force');
    expect((await cli('functions', 'pull')).stdout).toBe(`changed here  ${key}\n`);
    const pulled = await cli('functions', 'pull', '--force');
    expect(pulled).toMatchObject({ code: 0, stdout: `updated  ${key}\n` });
    expect(readFileSync(file('function.yaml'), 'utf8')).toContain('description: Changed on the server.');
    expect(readFileSync(file('code.ts'), 'utf8')).toContain('toUpperCase');
    expect(readdirSync(join(folder, 'functions', key))).toContain('tests.yaml');
    const failed = await cli('functions', 'test', '--deployed');
    expect(failed).toMatchObject({ code: 1, stderr: '1 passed, 1 failed\n' });
    expect(failed.stdout).toContain('  actual    {"points":["ONE.","TWO!"]}');
  });

  it('settings and a prompt are kept as files, too', async () => {
    const set = await cli('functions', 'set', key, 'temperature=0.2', 'prompt=Say {{input.text}}', 'model=auto');
    expect(JSON.parse(set.stdout)).toEqual({ temperature: 0.2, prompt: 'Say {{input.text}}', model: 'auto' });
    expect((await cli('functions', 'explain', key)).stdout).toContain('temperature = 0.2  (');
    expect((await cli('functions', 'pull')).code).toBe(0);
    expect(readFileSync(file('prompt.md'), 'utf8')).toBe('Say {{input.text}}\n');
    expect(readFileSync(file('function.yaml'), 'utf8')).toContain('temperature: 0.2');
    expect((await cli('functions', 'diff')).code).toBe(0);

    // Settings of other labels are stored without a change of those that calls go by.
    const before = readFileSync(file('function.yaml'), 'utf8');
    writeFileSync(file('function.yaml'), `${before}labels:\n  staging: { temperature: 3 }\n`);
    const refused = await cli('functions', 'push');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/summarizeText\/function\.yaml:\d+:\d+ labels\.staging\.temperature must be <= 2/),
    ]);
    writeFileSync(file('function.yaml'), `${before}labels:\n  staging: { temperature: 0.9 }\n`);
    expect((await cli('functions', 'push')).stdout).toMatch(/^updated/);
    expect((await cli('functions', 'push')).stdout).toMatch(/^unchanged/);
    const { id } = JSON.parse((await cli('functions', 'get', key)).stdout) as { readonly id: string };
    const path = `/functions/${id}/settings`;
    expect((await server.ask('GET', `${path}/labels/staging`)).body).toMatchObject({ temperature: 0.9 });
    expect((await server.ask('GET', path)).body).toMatchObject({ temperature: 0.2, label: 'production' });
    await server.ask('PUT', `${path}?label=staging`, { temperature: 0.8 });
    expect((await cli('functions', 'diff')).stdout).toMatch(/-\s+temperature: 0\.8\n\+\s+temperature: 0\.9/);
    expect((await cli('functions', 'pull')).code).toBe(0);
    expect(readFileSync(file('function.yaml'), 'utf8')).toContain('staging:\n    temperature: 0.8');

    // A function that loses its settings here loses them there.
    rmSync(file('prompt.md'));
    const yaml = readFileSync(file('function.yaml'), 'utf8');
    writeFileSync(file('function.yaml'), yaml.slice(0, yaml.indexOf('settings:')));
    expect((await cli('functions', 'push')).stdout).toMatch(/^updated/);
    expect(JSON.parse((await cli('functions', 'get', key)).stdout)).not.toHaveProperty('settings');
    expect((await cli('functions', 'diff')).code).toBe(0);
  });

  it('promote stores a name that was called', async () => {
    await server.ask('POST', '/call/nobodyStoredThis', { input: { a: 1 } });
    const promoted = await cli('functions', 'promote', 'nobodyStoredThis');
    expect(promoted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^function_/) });
    expect((await cli('functions', 'promote', 'never called')).code).toBe(4);
    // A function of a model has settings and no code; pulled, it can be pushed again.
    expect((await cli('functions', 'pull', 'nobodyStoredThis')).code).toBe(0);
    expect(readdirSync(join(folder, 'functions', 'nobodyStoredThis'))).toEqual(['function.yaml']);
    expect((await cli('functions', 'push', 'nobodyStoredThis')).stdout).toMatch(/^unchanged/);
  });
});

describe('an error', () => {
  it('in code is reported with its position, and other functions are pushed', async () => {
    const broken = join(folder, 'functions', 'a-broken-one');
    const within = { cwd: broken.replace(/\/functions.*/, ''), env: { npm_lifecycle_event: 'npx' } };
    const { code: made, stderr: next } = await runCli(within, 'init', 'other');
    expect([made, next]).toEqual([0, expect.stringMatching(/^next, in other: ".+ dev"/)]);
    const source = join(folder, 'other', 'functions', key);
    writeFileSync(join(source, 'code.ts'), 'export default () => {');
    const { code, stdout, stderr } = await cli('functions', 'push', '--dir', 'other/functions');
    expect([code, stdout]).toEqual([1, `failed  ${key}\n`]);
    expect(stderr).toMatch(/^other\/functions\/summarizeText\/code\.ts:1:\d+ /);
  });

  it.each([
    ['name: x\nnmae: y\n', 'has an unknown member "nmae"'],
    ['name: [\n', 'function.yaml:2:1 '],
    ['- name\n', 'must be a map'],
    ['description: none\n', 'needs a name'],
  ])('in function.yaml %j is reported', async (text, message) => {
    writeFileSync(join(folder, 'other', 'functions', key, 'function.yaml'), text);
    const { code, stderr } = await cli('functions', 'push', '--dir', 'other/functions');
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    [['functions', 'get', 'nothing'], 4, 'there is no function with the name "nothing"'],
    [['functions', 'run', 'function_00000000000000000000000000'], 4, 'function_not_found: '],
    [['functions', 'run', 'summarizeTxt'], 4, 'there is no function with the name "summarizeTxt"'],
    [['functions', 'run', key, '--input', '{"maxPoints":0}'], 1, '  /input'],
    [['functions', 'run', key, '--input', 'no'], 2, 'the input is not JSON'],
    [['functions', 'run', key, '--input', '@absent.json'], 2, 'absent.json cannot be read: ENOENT'],
    [['functions', 'list', '--url', 'http://127.0.0.1:9'], 1, 'hint: start one with "patchbay serve"'],
    [['functions', 'list', '--api-key', 'pbk_wrong'], 3, 'hint: set PATCHBAY_API_KEY'],
    [['chat', 'Hello', '--model', 'none/one'], 4, 'hint: "patchbay models list"'],
    [['functions', 'diff', '--dir', 'absent'], 2, 'absent cannot be read: ENOENT'],
    [['functions', 'set', key, 'temperature'], 2, 'is not <setting>=<value>'],
    [['functions', 'set', key, 'temperature=9'], 1, '/temperature'],
  ])('%j ends with %d', async (args, expected, message) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('becomes one JSON document with --json', async () => {
    const { code, stdout, stderr } = await cli('functions', 'list', '--json', '--api-key', 'pbk_wrong');
    expect([code, stdout]).toEqual([3, '']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'invalid_token', status: 401, exitCode: 3 } });
  });
});
