import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Schema } from '@patchbay/core/plugin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientTypes, type TypedFunctionRow } from './client-types.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
const client = dirname(require.resolve('@patchbay/client/package.json'));

const compilerOptions = {
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  customConditions: ['source'],
};

const text: Schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const row = (name: string, key: string | null, fields: Partial<TypedFunctionRow> = {}): TypedFunctionRow => {
  return { id: `function_${name}`, name, key, description: '', input: text, output: text, ...fields };
};

const rich: Schema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'ends */ export const injected = 1; /*\nhere' },
    points: { type: 'integer', default: 5 },
    tone: { enum: ['bold', 'calm', null, 1] },
    tags: { type: 'array', items: { type: ['string', 'null'] } },
    'a "quoted" \u2028 key': { type: 'boolean' },
    either: {
      anyOf: [{ type: 'number' }, { type: 'object', properties: { deep: { const: true } }, required: ['deep'] }],
    },
    open: { type: 'object', additionalProperties: { type: 'number' } },
    anything: {},
    some: { type: 'object' },
    none: { type: 'object', additionalProperties: false },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
    codes: { type: 'object', patternProperties: { '^[A-Z]{3}$': { type: 'number' } } },
    both: {
      allOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { $ref: '#/$defs/b' }],
    },
    which: { oneOf: [{ const: 'x' }, { const: 2 }] },
    never: { not: {} },
  },
  $defs: { b: { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] } },
  required: ['text', 'points', 'tone', 'tags'],
};

/** A recursive schema, as generators write it. */
const tree: Schema = {
  $ref: '#/$defs/Category',
  $defs: {
    Category: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Category' } } },
      required: ['name', 'children'],
    },
    Json: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { $ref: '#/$defs/Json' } }] },
  },
  properties: { meta: { $ref: '#/$defs/Json' } },
};

const rows = [
  row('tree', 'tree', { input: tree, output: tree }),
  row('Summarize Text', 'summarizeText', { description: 'Makes */ it\u2028short.', input: rich, output: rich }),
  row('*/ export const alsoInjected = 1; /*', 'exportConstAlsoInjected1'),
  row('ping', 'ping', { input: { type: 'object' } }),
  row('Twin One', 'twinOne'),
  row('twin, one', 'twinOne'),
  row('same', 'same'),
  row('same', 'same'),
  row('then', 'then'),
];

const usage = `import { createFunctions, type Functions } from './functions.ts';
const ai = createFunctions();
const { text, tone, tags, points } = await ai.summarizeText({ text: 'a', tone: 'bold', tags: ['x', null] });
export const all: [string, 'bold' | 'calm' | null | 1, (string | null)[], number] = [text, tone, tags, points];
export const pong: string = (await ai.ping({}, { model: 'a/b' })).text + (await ai.ping()).text;
const root = await ai.tree({ name: 'a', children: [{ name: 'b', children: [] }], meta: { deep: { deeper: 'x' } } });
export const grandchild: string | undefined = root.children[0]?.children[0]?.name;
const { pair, codes, both, which } = await ai.summarizeText({ text: 'a', tone: 'bold', tags: [], pair: ['a', 1] });
export const pairOfOutput: [string, number] | undefined = pair;
export const rest: [number | undefined, { a: string; b: number } | undefined, 'x' | 2 | undefined] = [codes?.['CHF'], both, which];
export const twin = await ai['Twin One']({ text: 'a' }).withMeta();
export const names: keyof Functions = 'ping';
for await (const part of ai.ping.stream()) console.log(part.text?.length);
interface Own {
  readonly id: number;
}
const some: Own = { id: 1 };
export const more = await ai.summarizeText({ text: 'a', tone: null, tags: [], some });
console.log(more.some?.['any'], more.open?.['x']?.toFixed());
// @ts-expect-error: it has no members
ai.summarizeText({ text: 'a', tone: null, tags: [], none: { a: 1 } });
// @ts-expect-error: no function has this name
ai.sumarizeText({ text: 'a' });
// @ts-expect-error: nor this one, which two functions share
ai.same({ text: 'a' });
// @ts-expect-error: a member is missing
ai.summarizeText({ text: 'a' });
// @ts-expect-error: there is no such member
ai['Twin One']({ text: 'a', tone: 'bold' });
// @ts-expect-error: not one of the values
ai.summarizeText({ text: 'a', tone: 'loud', tags: [] });
// @ts-expect-error: prompts are settings of the function
ai['Twin One']({ text: 'a' }, { prompt: 'b' });
// @ts-expect-error: the output has no such member
console.log(twin.data.texts);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-types-'));
  await mkdir(join(folder, 'node_modules', '@patchbay'), { recursive: true });
  await symlink(client, join(folder, 'node_modules', '@patchbay', 'client'), 'dir');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('patchbay types', () => {
  it('writes a module that a strict compiler accepts, and in which an unknown name is an error', async () => {
    const { text: functions, leftOut } = clientTypes(rows);
    expect(leftOut.map(({ row: { name }, why }) => [name, why])).toEqual([
      ['same', 'others have its name as well'],
      ['same', 'others have its name as well'],
      ['then', 'its name is reserved'],
    ]);
    await writeFile(join(folder, 'functions.ts'), functions);
    await writeFile(join(folder, 'usage.ts'), usage);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }));
    const compiled = run(process.execPath, [compiler, '-p', folder]);
    expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe('');
    // Text from callers stays within comments and strings.
    expect([...functions.matchAll(/^export \w+ (\w+)/gm)].map(([, name]) => name)).toEqual([
      'Functions',
      'createFunctions',
    ]);
  });

  it('calls by the key, or by the name where another function would be meant', () => {
    const { text: functions } = clientTypes([row('foo', 'foo'), row('Foo', 'foo'), row('old one', null), row('!', '')]);
    expect([...functions.matchAll(/^ {2}(\S.*)\(input/gm)].map(([, name]) => name)).toEqual([
      'foo',
      'Foo',
      '"old one"',
      '"!"',
    ]);
  });

  it('writes no functions if there are none', () => {
    expect(clientTypes([]).text).toContain('export type Functions = Record<never, never>;');
  });
});
