import { attempts, bodies, either, got, refused, sources, threw } from '../program-rows.ts';

const text = `, { with: { type: 'text' } }`;
const files = attempts(
  'imports',
  refused('TypeError|NotCapable|ERR_ACCESS_DENIED|EACCES|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Error'),
  {
    'import of a file as text': `(await load('file://' + canary.shared${text})).default`,
    'import of a file as bytes': `(await load('file://' + canary.shared, { with: { type: 'bytes' } })).default`,
    'import of a file as JSON': `(await load('file://' + canary.json, { with: { type: 'json' } })).default`,
    'import of a file as code': `await load('file://' + canary.shared)`,
    'import of a private file as text': `(await load('file://' + canary.private${text})).default`,
    'import of /etc/passwd as text': `(await load('file:///etc/passwd'${text})).default`,
    'import of /etc/shadow as text': `(await load('file:///etc/shadow'${text})).default`,
    'import of the environment as text': `(await load('file:///proc/self/environ'${text})).default`,
    'import of the environment as bytes': `(await load('file:///proc/self/environ', { with: { type: 'bytes' } })).default`,
    'import of the command line of another process': `(await load('file:///proc/' + canary.pid + '/cmdline'${text})).default`,
    'import of the bootstrap again': `await load((/file:\\S+?main\\.js/u.exec(new Error().stack)?.[0] ?? 'file:///patchbay/bootstrap/main.js') + '?again')`,
    'import of the neighbour of the bootstrap that holds what was captured': `await load((/file:\\S+?main\\.js/u.exec(new Error().stack)?.[0] ?? 'file:///patchbay/bootstrap/main.js').replace('main.js', 'channel.js?again'))`,
    'import through a nested data: URL': `(await load('data:text/javascript,export { default } from "file://' + canary.shared + '" with { type: "text" }')).default`,
    'import through two nested data: URLs': `(await load('data:text/javascript,' + encodeURIComponent('import x from ' + JSON.stringify('data:text/javascript,' + encodeURIComponent('export { default } from "file:///etc/passwd" with { type: "text" }')) + '; export default x'))).default`,
    'import through a blob: URL': `(await load(URL.createObjectURL(new Blob(['export { default } from "file://' + canary.shared + '" with { type: "text" }'], { type: 'text/javascript' })))).default`,
    'import through a data: URL of TypeScript': `(await load('data:application/typescript,' + encodeURIComponent('import x from "file:///etc/passwd" with { type: "text" }; export default x as string'))).default`,
    'import through a data: URL of JSX': `(await load('data:text/jsx,' + encodeURIComponent('/** @jsxImportSource file:///etc */ export default <a/>'))).default`,
    'import of a types reference': `(await load('data:application/typescript,' + encodeURIComponent('/// <reference path="/etc/passwd" />\\n import type X from "file:///etc/passwd"; import x from "file:///etc/hostname" with { type: "text" }; export default x'))).default`,
    'dynamic import within a data: module': `(await load('data:text/javascript,' + encodeURIComponent('export default await import("file://' + canary.shared + '", { with: { type: "text" } })'))).default`,
    'deferred import within a data: module': `(await load('data:text/javascript,' + encodeURIComponent('import defer * as x from "file://' + canary.shared + '"; export default x'))).default`,
    'source phase import within a data: module': `(await load('data:text/javascript,' + encodeURIComponent('import source x from "file://' + canary.shared + '"; export default x'))).default`,
    'import by a source map': `(await load('data:text/javascript,' + encodeURIComponent('export default new Error("x").stack;\\n//# sourceMappingURL=file://' + canary.shared + '\\nexport { default as y } from "file://' + canary.shared + '" with { type: "text" }'))).y`,
    'import by an absolute path': `await load(canary.shared${text})`,
    'import by a file URL with a host': `(await load('file://localhost' + canary.shared${text})).default`,
    'import by a file URL with a query': `(await load('file://' + canary.shared + '?x#y'${text})).default`,
    'import by an upper case scheme': `(await load('FILE://' + canary.shared${text})).default`,
    'import by /proc/self/root': `(await load('file:///proc/self/root' + canary.shared${text})).default`,
    'import of an open file': `(await load('file:///proc/self/fd/3'${text})).default`,
    'import of the standard input': `(await load('file:///dev/stdin'${text})).default`,
    'import.meta.resolve and import': `(await load('data:text/javascript,' + encodeURIComponent('export default await import(import.meta.resolve("file://' + canary.shared + '"), { with: { type: "text" } })'))).default`,
    'import of a WebAssembly file': `await load('file://' + canary.folder + '/x.wasm')`,
    'import of a native module': `(await node('module')).createRequire('/')(canary.folder + '/x.node')`,
    'require of a JSON file': `(await node('module')).createRequire('file:///')(canary.json)`,
    'require of a file': `(await node('module')).createRequire('/tmp/')(canary.shared)`,
    'require by Module._load': `(await node('module'))._load(canary.json)`,
    'require by Module._extensions': `{ const module = {}; (await node('module'))._extensions['.json'](module, canary.json); return module.exports; }`,
    'require of a package upwards': `(await node('module')).createRequire('/x.js')('typescript')`,
    'module.findPackageJSON': `(await node('module')).findPackageJSON('..', canary.shared) ?? (() => { throw new TypeError('nothing'); })()`,
  },
);

const hooks = attempts(
  'imports',
  either(
    refused(
      'TypeError|NotCapable|ERR_ACCESS_DENIED|ERR_MODULE_NOT_FOUND|ERR_INVALID_ARG_TYPE|ERR_REQUIRE_ASYNC_MODULE',
    ),
    got(null),
  ),
  {
    'hooks of modules that read on the way': `{ const module = await node('module'); const fs = await node('fs'); module.registerHooks({ load: (url, context, next) => ({ format: 'json', shortCircuit: true, source: JSON.stringify(fs.readFileSync(canary.shared, 'utf8')) }) }); return (await load('file://' + canary.json)).default; }`,
    'hooks of modules that redirect to a file': `{ const module = await node('module'); module.registerHooks({ resolve: (name, context, next) => ({ url: 'file://' + canary.shared, shortCircuit: true, importAttributes: { type: 'text' } }) }); return (await load('data:text/javascript,1', { with: { type: 'text' } })).default; }`,
    'a loader of its own': `(await node('module')).register('data:text/javascript,export async function load() {}')`,
    preloading: `(await node('module')).runMain?.('file://' + canary.shared)`,
  },
);

const refusedAtSave = sources(
  'source',
  { fault: 'import_not_allowed' },
  {
    'a static import of a file': `import x from 'file:///etc/passwd' with { type: 'text' };\nexport default () => ({ x });`,
    'a static import of bytes': `import x from 'file:///etc/shadow' with { type: 'bytes' };\nexport default () => ({ x });`,
    'a static import of JSON': `import x from '/etc/canary.json' with { type: 'json' };\nexport default () => ({ x });`,
    'a static import for its effects': `import 'file:///etc/passwd';\nexport default () => ({});`,
    'a static import of a package': `import x from 'npm:lodash@4.17.21';\nexport default () => ({ x });`,
    'a static import of a remote module': `import x from 'https://esm.sh/x?leak=1';\nexport default () => ({ x });`,
    'a static import of a built-in module': `import fs from 'node:fs';\nexport default () => ({ x: fs.readFileSync('/etc/passwd', 'utf8') });`,
    'a literal dynamic import of a file': `export default async () => ({ x: (await import('file:///etc/passwd', { with: { type: 'text' } })).default });`,
    'a computed dynamic import': `export default async ({ name = 'node:fs' }) => ({ x: Object.keys(await import(name)) });`,
    'a dynamic import in a default value': `export default async (input, context, x = import('node:fs')) => ({ x: await x });`,
    'a dynamic import within a template': `export default async () => ({ x: \`\${await import('node:fs')}\` });`,
    'a dynamic import at the top level': `const x = await import('node:fs');\nexport default () => ({});`,
    'a deferred import': `import defer * as x from 'file:///etc/passwd';\nexport default () => ({ x });`,
    'a re-export of everything': `export * from 'file:///etc/passwd';\nexport default () => ({});`,
    'a re-export as default': `export { default } from 'file:///etc/passwd' with { type: 'text' };`,
    'an import of a type': `type X = import('/etc/passwd').X;\nexport default (x: X): object => ({});`,
    'an import assignment': `import fs = require('node:fs');\nexport default (): object => ({ fs });`,
  },
);

/** Comments about the origin of code are used for stacks, and must not be followed. */
const comments = sources('imports', threw, {
  'a map of the source in a file': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=file://{{json}}`,
  'a map of the source in a private file': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=file://{{private}}`,
  'a map of the source by a path': `export default () => { throw new Error('x'); };\n//# sourceMappingURL={{json}}`,
  'a map of the source in a comment of its own kind': `export default () => { throw new Error('x'); };\n/*# sourceMappingURL=file://{{json}} */`,
  'a map of the source in an old comment': `export default () => { throw new Error('x'); };\n//@ sourceMappingURL=file://{{json}}`,
  'a map of the source in a device without an end': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=file:///dev/zero`,
  'a map of the source in the environment': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=file:///proc/self/environ`,
  'a map of the source that TypeScript comes with': `export default (): object => { throw new Error('x'); };\n//# sourceMappingURL=file://{{json}}`,
  'a map of the source of WebAssembly': `const name = (text) => [text.length, ...new TextEncoder().encode(text)]; const url = 'file://{{json}}'; const section = [...name('sourceMappingURL'), ...name(url)]; export default async () => { const { instance } = await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11,0,section.length,...section])); console.log((() => { try { instance.exports.f(); } catch (error) { return error.stack; } })()); instance.exports.f(); };`,
  'a map of the source from the network': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=http://127.0.0.1:{{port}}/x.map`,
  'a map of the source that names a file as its source': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["file://{{shared}}"],"names":[],"mappings":"AAAA"}`,
  'a name of the source that is a file': `export default () => { throw new Error('x'); };\n//# sourceURL=file://{{shared}}`,
  'a name of the source that is a file, in an unhandled error': `export default async () => { setTimeout(() => { throw new Error('x'); }, 0); await new Promise((resolve) => setTimeout(resolve, 500)); };\n//# sourceURL=file://{{shared}}`,
});
const shown = sources(
  'imports',
  { output: { shown: true } },
  {
    'a name of the source that is a file, in an error that is shown': `export default () => { console.log(new Error('x')); console.log(new Error('y').stack); return { shown: true }; };\n//# sourceURL=file://{{shared}}`,
    'a map of the source in a file, in an error that is shown': `export default () => { console.error(new Error('x')); return { shown: true }; };\n//# sourceMappingURL=file://{{json}}`,
    'a map of the source that names a file as its source, in an error that is shown': `export default () => { console.error(new Error('x', { cause: new Error('y') })); return { shown: true }; };\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["file://{{shared}}"],"names":[],"mappings":"AAAA"}`,
  },
);

const nested = bodies(
  'imports',
  { output: { refused: 'ERR_MODULE_NOT_FOUND|ERR_INVALID_ARG_TYPE|EvalError' } },
  {
    'import by an indirect eval': `return attempt(() => (0, eval)('import("file:///etc/passwd", { with: { type: "text" } })'));`,
    'import by an async function constructor': `return attempt(() => Object.getPrototypeOf(async () => {}).constructor('return (await import("file:///etc/passwd", { with: { type: "text" } })).default')());`,
    'import by a timer with text': `return attempt(() => new Promise((resolve, reject) => { globalThis.finish = (p) => p.then(resolve, reject); setTimeout('finish(import("file:///etc/passwd", { with: { type: "text" } }))', 0); }));`,
  },
);

export const filesByImport = [...files, ...hooks, ...refusedAtSave, ...nested, ...comments, ...shown];
