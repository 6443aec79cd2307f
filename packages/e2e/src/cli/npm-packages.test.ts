import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunction } from '@patchbay/executor-deno/bundle-function';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Functions with npm packages, pushed to a real server from a project with a lockfile.

const builtIn = readFileSync(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
// Loading the largest of the packages takes a second of CPU, and longer where others want the cores as well.
const server = useServerHere({ config: `${builtIn}\nexecutions: { timeoutMs: 60000 }\n` });
const folder = newFolder();
const environment = () => ({ PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey });
const cli = (...args: string[]) => runCli({ cwd: folder, env: environment() }, ...args);

const definition = (name: string) =>
  [
    `name: ${name}`,
    'input: { type: object, properties: { text: { type: string } }, required: [text] }',
    'output: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }',
    '',
  ].join('\n');

function write(name: string, code: string): void {
  mkdirSync(join(folder, 'functions', name), { recursive: true });
  writeFileSync(join(folder, 'functions', name, 'function.yaml'), definition(name));
  writeFileSync(join(folder, 'functions', name, 'code.ts'), code);
}

function install(name: string, files: Readonly<Record<string, string>>): void {
  const place = join(folder, 'functions', 'node_modules', name);
  mkdirSync(place, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
}

/** A use of each package, its output for `a,b`, and a use that its types do not allow. */
type PackageUse = readonly [code: string, output: string, wrong: string];

/**
 * One of each kind: with many types, with parts to import one by one, and with code for a browser. One that is needed as a whole
 * comes below.
 */
const sample: Readonly<Record<string, PackageUse>> = {
  zod: [
    `import { z } from 'zod';
const Text = z.object({ text: z.string().min(1) });
export default (input: Input): z.infer<typeof Text> => Text.parse(input);`,
    'a,b',
    `import { z } from 'zod';
export default (input: Input): Output => ({ text: z.number().parse(input.text) });`,
  ],
  nanoid: [
    `import { customAlphabet, nanoid } from 'nanoid';
export default (_: Input): Output => ({ text: nanoid().length + customAlphabet('x', 3)() });`,
    '21xxx',
    `import { nanoid } from 'nanoid';
export default ({ text }: Input): Output => ({ text: nanoid(text) });`,
  ],
  '@noble/hashes': [
    `import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
export default ({ text }: Input): Output => ({ text: bytesToHex(sha256(utf8ToBytes(text))).slice(0, 8) });`,
    '1eb7c54d',
    `import { sha256 } from '@noble/hashes/sha2.js';
export default ({ text }: Input): Output => ({ text: sha256(text) });`,
  ],
};
const others: Readonly<Record<string, PackageUse>> = {
  cheerio: [
    `import { load } from 'cheerio';
export default ({ text }: Input): Output => ({ text: load('<p class="x">' + text + '</p>')('p.x').text() });`,
    'a,b',
    `import { load } from 'cheerio';
export default ({ text }: Input): Output => ({ text: load(text)('p') });`,
  ],
  'date-fns': [
    `import { addDays, format } from 'date-fns';
export default (_: Input): Output => ({ text: format(addDays(new Date(2026, 0, 30), 3), 'yyyy-MM-dd') });`,
    '2026-02-02',
    `import { addDays } from 'date-fns';
export default (_: Input): Output => ({ text: addDays(new Date(), 3) });`,
  ],
  'lodash-es': [
    `import { capitalize, chunk } from 'lodash-es';
export default ({ text }: Input): Output => ({ text: chunk(text.split(','), 1).map(([one]) => capitalize(one)).join(' ') });`,
    'A B',
    `import { chunk } from 'lodash-es';
export default ({ text }: Input): Output => ({ text: chunk(text, 1) });`,
  ],
  marked: [
    `import { marked } from 'marked';
export default async ({ text }: Input): Promise<Output> => ({ text: await marked.parse('# ' + text) });`,
    '<h1>a,b</h1>\n',
    `import { marked } from 'marked';
export default ({ text }: Input): Output => ({ text: marked.lexer(text) });`,
  ],
  'csv-parse': [
    `import { parse } from 'csv-parse/sync';
export default ({ text }: Input): Output => ({ text: parse(text).flat().join('|') });`,
    'a|b',
    `import { parse } from 'csv-parse/sync';
export default ({ text }: Input): Output => ({ text: parse(text, { delimiter: 7 }).join('|') });`,
  ],
  jose: [
    `import { jwtVerify, SignJWT } from 'jose';
export default async ({ text }: Input): Promise<Output> => {
  const key = new TextEncoder().encode('a secret of more than 32 characters');
  const token = await new SignJWT({ text }).setProtectedHeader({ alg: 'HS256' }).sign(key);
  const { payload } = await jwtVerify<{ text: string }>(token, key);
  return { text: payload.text };
};`,
    'a,b',
    `import { decodeJwt } from 'jose';
export default ({ text }: Input): Output => ({ text: decodeJwt(7).jti ?? text });`,
  ],
  mathjs: [
    `import { matrix, multiply, sqrt } from 'mathjs';
export default (_: Input): Output => {
  const product = multiply(matrix([[1, 2]]), matrix([[3], [4]]));
  return { text: sqrt(16) + ' ' + product.toString() };
};`,
    '4 [[11]]',
    `import { sqrt } from 'mathjs';
export default (_: Input): Output => ({ text: sqrt(16).nothing() });`,
  ],
};
/** A use of everything in a package, an input for it, and the output: of hundreds of files, or of some megabytes. */
const whole: readonly [code: string, input: string, output: string] = isFullSize
  ? [
      `import { evaluate } from 'mathjs';\nexport default ({ text }: Input): Output => ({ text: String(evaluate(text)) });`,
      'sqrt(16) + det([[1, 2], [3, 4]])',
      '2',
    ]
  : [
      `import * as all from 'lodash-es';\nexport default ({ text }: Input): Output => ({ text: String(typeof Reflect.get(all, text)) });`,
      'capitalize',
      'function',
    ];
const packages = isFullSize ? { ...sample, ...others } : sample;
const keyOf = (name: string) => name.replaceAll(/\W/g, '');

beforeAll(() => {
  const own = fileURLToPath(new URL('../..', import.meta.url));
  symlinkSync(join(own, 'node_modules'), join(folder, 'node_modules'));
  copyFileSync(join(own, '../../pnpm-lock.yaml'), join(folder, 'pnpm-lock.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm packages in functions', { timeout: 60_000 }, () => {
  it.each(Object.entries(packages))('%s is pushed, typed, and runs', async (name, [code, output, wrong]) => {
    const key = keyOf(name);
    write(key, wrong);
    const refused = await cli('functions', 'push', key);
    expect([refused.code, refused.stdout]).toEqual([1, `failed  ${key}\n`]);
    expect(refused.stderr).toMatch(new RegExp(`^functions/${key}/code\\.ts:2:\\d+ .*[Tt]ype`));
    write(key, code);
    const pushed = await cli('functions', 'push', key);
    expect([pushed.code, pushed.stderr]).toEqual([0, '']);
    const { stdout, stderr } = await cli('functions', 'run', key, '--input', '{"text":"a,b"}');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ text: output });
    expect((await cli('functions', 'push', key)).stdout).toMatch(/^unchanged/);
    expect((await cli('functions', 'diff', key)).code).toBe(0);
  });

  it('a package of which everything is needed is pushed whole, and runs', async () => {
    const [code, input, output] = whole;
    write('whole', code);
    const pushed = await cli('functions', 'push', 'whole');
    expect([pushed.code, pushed.stderr]).toEqual([0, '']);
    const { stdout, stderr } = await cli('functions', 'run', 'whole', '--input', JSON.stringify({ text: input }));
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ text: output });
  });

  it('are listed with versions, hashes of the lockfile, and functions', async () => {
    write(
      'both',
      `import { nanoid } from 'nanoid';\nimport { z } from 'zod';\nexport default (_: Input): Output => ({ text: z.string().parse(nanoid()) });`,
    );
    await cli('functions', 'push', 'both');
    write('both', `import { nanoid } from 'nanoid';\nexport default (_: Input): Output => ({ text: nanoid() });`);
    await cli('functions', 'push', 'both');
    const { stdout } = await cli('functions', 'audit', '--json');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(packages)));
    expect(rows.find(({ name }) => name === 'zod')).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      integrity: [expect.stringMatching(/^sha512-/)],
      functions: expect.arrayContaining([
        expect.objectContaining({ name: 'both', versions: [1], isCurrent: false }),
        expect.objectContaining({ name: 'zod', versions: [1], isCurrent: true }),
      ]),
    });
    const table = (await cli('functions', 'audit')).stdout;
    expect(table).toMatch(/^nanoid +\S+ +both@2,1 nanoid@1$/m);
    expect(table).toMatch(/^zod +\S+ +\(both@1\) zod@1$/m);
  });

  it('errors that packages throw lead to the line of the code', async () => {
    write(
      'thrown',
      `import { z } from 'zod';\n\nconst Text = z.object({ text: z.number() });\n\nexport default function readText(input: Input): Output {\n  return { text: String(Text.parse(input).text) };\n}\n`,
    );
    await cli('functions', 'push', 'thrown');
    const { code, stderr } = await cli('functions', 'run', 'thrown', '--input', '{"text":"a"}');
    expect(code).toBe(1);
    expect(stderr).toContain('at readText (functions/thrown/code.ts:6:30)');
    expect(stderr).not.toContain(folder);
  });

  it('functions of a folder run and are tested without being stored', async () => {
    write(
      'local',
      `import { capitalize } from 'lodash-es';\nexport default ({ text }: Input): Output => ({ text: capitalize(text) });`,
    );
    writeFileSync(
      join(folder, 'functions/local/tests.yaml'),
      'tests:\n  - name: capitals\n    input: { text: word }\n    output: { text: Word }\n',
    );
    const ran = await cli('functions', 'run', './functions/local', '--input', '{"text":"word"}');
    expect(JSON.parse(ran.stdout)).toEqual({ text: 'Word' });
    expect((await cli('functions', 'test', 'local')).stdout).toBe('passed  local: capitals\n');
  });

  it('built-ins of Node.js that need no permission can be used, and others are refused by name', async () => {
    write(
      'builtin',
      `import { createHash } from 'node:crypto';\nimport { join } from 'path';\nexport default ({ text }: Input): Output => ({ text: join(createHash('md5').update(text).digest('hex').slice(0, 4), 'x') });`,
    );
    expect((await cli('functions', 'push', 'builtin')).code).toBe(0);
    expect(JSON.parse((await cli('functions', 'run', 'builtin', '--input', '{"text":"a"}')).stdout)).toEqual({
      text: '0cc1/x',
    });
    write(
      'builtin',
      `import { readFileSync } from 'node:fs';\nexport default ({ text }: Input): Output => ({ text: readFileSync(text, 'utf8') });`,
    );
    const refused = await cli('functions', 'push', 'builtin');
    expect(refused.stderr).toMatch(/^functions\/builtin\/code\.ts:1:1 "node:fs" cannot be imported/);
    install('reads-files', {
      'package.json': '{"name":"reads-files","version":"1.0.0"}',
      'index.js': 'module.exports = require("fs").readFileSync;\n',
    });
    write(
      'builtin',
      `import read from 'reads-files';\nexport default ({ text }: Input): Output => ({ text: read(text) });`,
    );
    expect((await cli('functions', 'push', 'builtin')).stderr).toMatch(
      /reads-files\/index\.js:1: imports "fs" of Node\.js/,
    );
  });

  it('packages that are required, and use globals of Node.js, run', async () => {
    install('old', {
      'package.json': '{"name":"old","version":"1.0.0"}',
      'index.js':
        'const EventEmitter = require("events");\nconst { inherits } = require("node:util");\nfunction Old() { EventEmitter.call(this); }\ninherits(Old, EventEmitter);\nmodule.exports = (text) => { let got; const old = new Old(); old.on("x", (value) => { got = value; }); old.emit("x", Buffer.from(text).toString("base64")); return got + typeof global.setTimeout; };\n',
    });
    const code = "import old from 'old';\nexport default ({ text }: Input): Output => ({ text: old(text) });";
    write('old', code);
    const pushed = await cli('functions', 'push', 'old');
    expect([pushed.code, pushed.stderr]).toEqual([0, '']);
    const { stdout } = await cli('functions', 'run', 'old', '--input', '{"text":"a"}');
    expect(JSON.parse(stdout)).toEqual({ text: 'YQ==function' });
    const audited = (await cli('functions', 'audit', '--json')).stdout
      .split('\n')
      .find((line) => line.includes('"old"'));
    expect(audited).toContain('files:sha512-');
    const source = await bundleFunction({ code, input: {}, output: {}, folder: join(folder, 'functions', 'old') });
    expect(source).toMatchObject({ kind: 'bundle', module: expect.stringContaining('node_modules/old/index.js') });
    expect(JSON.stringify(source)).not.toMatch(/patchbay-|plugins|\.\.\//);
  });

  it('too much is refused with the largest packages', async () => {
    install('huge', {
      'package.json': '{"name":"huge","version":"1.0.0"}',
      'index.js': `module.exports = "${'x'.repeat(5_300_000)}";\n`,
    });
    write('huge', `import huge from 'huge';\nexport default (_: Input): Output => ({ text: huge });`);
    const { code, stderr } = await cli('functions', 'push', 'huge');
    expect(code).toBe(1);
    expect(stderr).toMatch(/has \d+ bytes, of 5242880 at most\. The largest packages: huge \(\d+ bytes\)/);
  });

  it('packages that are not installed are left to the server', async () => {
    write('missing', `import x from 'not-installed-anywhere';\nexport default (_: Input): Output => ({ text: x });`);
    const { code, stderr } = await cli('functions', 'push', 'missing');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'functions/missing/code.ts:1:1 A function is one file: it cannot import anything without a bundle',
    );
  });
});
