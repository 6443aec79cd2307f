import { either, sources } from '../program-rows.ts';

const fs = `import('node:fs')`;

/** Places of the grammar where the parser has to find an import as well. */
const places: Readonly<Record<string, string>> = {
  'a field of a class': `class X { y = ${fs}; }\nexport default () => ({ x: new X() });`,
  'a static field of a class': `class X { static y = ${fs}; }\nexport default () => ({});`,
  'a private field of a class': `class X { #y = ${fs}; get y() { return this.#y; } }\nexport default () => ({});`,
  'a static block': `class X { static { ${fs}; } }\nexport default () => ({});`,
  'a computed name of a method': `class X { [${fs}]() {} }\nexport default () => ({});`,
  'a computed name of a member': `export default () => ({ [${fs}]: 1 });`,
  'the superclass': `class X extends (${fs}, Object) {}\nexport default () => ({});`,
  'a getter': `export default () => ({ get x() { return ${fs}; } });`,
  'a setter': `export default () => ({ set x(v) { ${fs}; } });`,
  'a default of a pattern': `export default ({ x = ${fs} }) => ({ x });`,
  'a default within a default': `export default ({ x: { y = ${fs} } = {} }) => ({ y });`,
  'the head of a loop': `export default async () => { for (const x of [${fs}]) await x; return {}; };`,
  'the test of a loop': `export default () => { while (${fs}) break; return {}; };`,
  'a case of a switch': `export default () => { switch (1) { case ${fs}: } return {}; };`,
  'a label': `export default () => { x: { ${fs}; break x; } return {}; };`,
  'an optional chain': `export default () => ({ x: ${fs}?.then?.(String) });`,
  'a tagged template': `export default () => ({ x: String.raw\`\${${fs}}\` });`,
  'a template within a template': `export default () => ({ x: \`\${\`\${${fs}}\`}\` });`,
  'an argument of new': `export default () => ({ x: new Array(${fs}) });`,
  'a spread': `export default async () => ({ ...await ${fs} });`,
  'an assignment by default': `export default () => { let x; x ??= ${fs}; return {}; };`,
  'a using declaration': `export default async () => { { await using x = await ${fs}; } return {}; };`,
  'an exported constant': `export const x = ${fs};\nexport default () => ({});`,
  'a generator': `function* g() { yield ${fs}; }\nexport default () => ({ x: [...g()].length });`,
  'options of an import': `export default async () => ({ x: await import('data:text/javascript,1', { with: ${fs} }) });`,
  'a comment between the words': `export default async () => ({ x: await import/* x */('node:fs') });`,
  'a line break between the words': `export default async () => ({ x: await import\n('node:fs') });`,
  'a deferred dynamic import': `export default async () => ({ x: await import.defer('node:fs') });`,
  'a source phase dynamic import': `export default async () => ({ x: await import.source('node:fs') });`,
  'a type assertion': `export default async (): Promise<object> => ({ x: (await ${fs}) as object });`,
  'a type assertion in brackets': `export default async (): Promise<object> => ({ x: <object>(await ${fs}) });`,
  'a satisfies expression': `export default async (): Promise<object> => ({ x: (await ${fs}) satisfies object });`,
  'an expression that is not null': `export default async (): Promise<object> => ({ x: (await ${fs})! });`,
  'a value of an enum': `enum X { y = (${fs}, 1) as number }\nexport default (): object => ({ X });`,
  'a namespace': `namespace X { export const y = ${fs}; }\nexport default (): object => ({ X });`,
  'a parameter property': `class X { constructor(private y = ${fs}) {} }\nexport default (): object => ({ x: new X() });`,
  'type arguments': `const f = <T,>(x: T): T => x;\nexport default (): object => ({ x: f<object>(${fs}) });`,
  'a type query of an import': `export default (x: typeof import('node:fs')): object => ({});`,
};

/** Spellings that parsers may take for something else than engines do. */
const odd: Readonly<Record<string, string>> = {
  'type arguments of an import': `export default async (): Promise<object> => ({ x: await import<any>('node:fs') });`,
  'an import in parentheses': `export default async () => ({ x: await (import)('node:fs') });`,
  'an import that is constructed': `export default () => ({ x: new import('node:fs') });`,
  'an optional import': `export default async () => ({ x: await import?.('node:fs') });`,
  'an import with spread arguments': `export default async () => ({ x: await import(...['node:fs']) });`,
  'an import in escapes': `export default async () => ({ x: await \\u0069mport('node:fs') });`,
  'an import as a template': `export default async () => ({ x: await import\`node:fs\` });`,
  'an import assignment in a namespace': `namespace X { import fs = require('node:fs'); export const y = fs; }\nexport default (): object => ({ X });`,
  'an import in a declared module': `declare module 'x' { import fs from 'node:fs'; }\nimport x from 'x';\nexport default (): object => ({ x });`,
  'an exported import': `export import fs = require('node:fs');\nexport default (): object => ({ fs });`,
  'an import after a comment of HTML': `<!-- x\nimport fs from 'node:fs';\nexport default () => ({ fs });`,
  'an import after what looks like an expression': `const a = 1, g = 1; const x = 1 /a/g; import('node:fs');\nexport default () => ({});`,
  'an import after a regular expression with a class': `const x = /[/]/; import('node:fs'); // ]/\nexport default () => ({});`,
  'an import after another kind of line': `// x\u2028import('node:fs');\nexport default () => ({});`,
  'an import behind a hashbang': `#!x\u2029import('node:fs');\nexport default () => ({});`,
  'an import in a function of a type': `export default (x: object): x is typeof import('node:fs') => true;`,
  'an import for its type and more': `import { type Stats, readFileSync } from 'node:fs';\nexport default (): object => ({ readFileSync });`,
  'an import with a phase': `import source x from 'node:fs';\nexport default () => ({ x });`,
};

/** Text that a parser may need too long for, or too much stack. */
const long: Readonly<Record<string, string>> = {
  'fifty thousand brackets that close': `export default () => ({ x: ${'['.repeat(50_000)}${']'.repeat(50_000)} });`,
  'fifty thousand parentheses': `export default () => ({ x: ${'('.repeat(50_000)}1${')'.repeat(50_000)} });`,
  'ten thousand functions in each other': `export default () => ({ x: ${'()=>('.repeat(10_000)}1${')'.repeat(10_000)} });`,
  'ten thousand blocks': `export default () => { ${'{'.repeat(10_000)}${'}'.repeat(10_000)} return {}; };`,
  'ten thousand templates': `export default () => ({ x: ${'`${'.repeat(10_000)}1${'}`'.repeat(10_000)} });`,
  'sixty thousand operators': `export default () => ({ x: 1${'+1'.repeat(60_000)} });`,
  'thirty thousand conditions': `export default () => ({ x: ${'0?1:'.repeat(30_000)}1 });`,
  'sixty thousand negations': `export default () => ({ x: ${'!'.repeat(60_000)}1 });`,
  'twenty thousand members': `export default () => ({ x: [{}${'.a'.repeat(20_000)}] });`,
  'a hundred thousand statements': `export default () => { ${';'.repeat(200_000)} return {}; };`,
  'ten thousand type arguments': `type X = ${'Array<'.repeat(10_000)}1${'>'.repeat(10_000)};\nexport default (x: X): object => ({});`,
  'ten thousand arrows that may be': `export default () => ({ x: ${'(a,'.repeat(5000)}1${')'.repeat(5000)} });`,
};

const unserializable = { reasons: ['output_unserializable', 'function_threw', 'load_failed', 'exited_early'] } as const;

export const hiddenImports = [
  ...sources(
    'source',
    { fault: 'import_not_allowed' },
    Object.fromEntries(Object.entries(places).map(([name, code]) => [`an import in ${name}`, code])),
  ),
  ...sources('source', either({ fault: 'import_not_allowed' }, { fault: 'syntax' }), odd),
  ...sources(
    'source',
    either({ fault: 'too_complex' }, { fault: 'syntax' }, unserializable, { output: { x: 1 } }, { output: {} }),
    long,
  ),
];
