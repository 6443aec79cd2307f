import type { Expected, HostileProgram } from '../hostile-program.ts';
import { either, refused } from '../program-rows.ts';

type Modules = Readonly<Record<string, string>>;
type Rest = Partial<Pick<HostileProgram, 'expectedWithGlobals' | 'wallMs' | 'next'>>;

/** Each row is the module of a bundle. */
function modules(expected: Expected, rows: Modules, rest: Rest = {}): readonly HostileProgram[] {
  return Object.entries(rows).map(([name, module]) => ({
    category: 'bundle',
    name,
    code: `// ${name}\nimport all from 'package';\nexport default () => all;`,
    bundle: { module },
    expected,
    expectedWithGlobals: { anything: true },
    ...rest,
  }));
}

const body = (text: string, head = ''): string =>
  `${head}\nexport default async ({ canary }) => { try { return { got: await (async () => { ${text} })() ?? null }; } catch (error) { return { refused: error.code ?? error.name }; } };`;

const main = 'export default () => ({});';

/** The host must not store them. */
const imported: Modules = {
  'imports the files of Node.js': `import { readFileSync } from 'node:fs';\n${main}`,
  'imports promises of files': `import { readFile } from 'node:fs/promises';\n${main}`,
  'imports processes': `import { execSync } from 'node:child_process';\n${main}`,
  'imports sockets': `import net from 'node:net';\n${main}`,
  'imports a client of HTTP': `import { request } from 'node:http';\n${main}`,
  'imports names of hosts': `import dns from 'node:dns';\n${main}`,
  'imports the machine': `import os from 'node:os';\n${main}`,
  'imports createRequire': `import { createRequire } from 'node:module';\nconst fs = createRequire('file:///')('node:fs');\n${main}`,
  'imports the process, for its built-in modules': `import process from 'node:process';\nprocess.getBuiltinModule('fs');\n${main}`,
  'imports threads': `import { Worker } from 'node:worker_threads';\n${main}`,
  'imports contexts of V8': `import vm from 'node:vm';\n${main}`,
  'imports the heap': `import v8 from 'node:v8';\n${main}`,
  'imports a database': `import { DatabaseSync } from 'node:sqlite';\n${main}`,
  'imports a package of npm': `import zod from 'npm:zod@4';\n${main}`,
  'imports a package of JSR': `import assert from 'jsr:@std/assert';\n${main}`,
  'imports over HTTPS': `import x from 'https://esm.sh/zod';\n${main}`,
  'imports a file': `import x from 'file://{{private}}';\n${main}`,
  'imports a file as text': `import x from '{{private}}' with { type: 'text' };\n${main}`,
  'imports data': `import x from 'data:text/javascript,export default 1';\n${main}`,
  'imports a name that an import map could have': `import x from 'package';\n${main}`,
  'imports a neighbour': `import x from '../bootstrap/channel.js';\n${main}`,
  'imports the internals of Deno': `import x from 'ext:core/mod.js';\n${main}`,
  'exports what it imports': `export * from 'node:fs';\n${main}`,
  'exports a namespace that it imports': `export * as fs from 'node:fs';\n${main}`,
  'imports later': `export default async () => ({ x: await import('node:fs') });`,
  'imports a computed name': `export default async () => ({ x: await import(['node', 'fs'].join(':')) });`,
  'imports a path from its input': `export default async ({ canary }) => ({ x: await import(canary.private) });`,
  'imports itself': `export default async () => ({ x: await import(import.meta.url) });`,
  'imports an object URL': `export default async () => ({ x: await import(URL.createObjectURL(new Blob(['import "node:fs"'], { type: 'text/javascript' }))) });`,
};

const evaluated: Modules = {
  'evaluates an import': body(`return await eval('import("node:fs")');`),
  'makes a function that imports': body(`return await new Function('return import("node:fs")')();`),
  'makes a function by a built-in': body(
    `return events.constructor.constructor('return process')();`,
    `import events from 'node:events';`,
  ),
};

const named: Modules = {
  'takes the process from the global object': body(`return process.getBuiltinModule('fs');`),
  'takes Deno, which loaded its built-ins': body(
    `return Deno.readTextFileSync(canary.private);`,
    `import 'node:crypto';`,
  ),
  'starts a worker from its own URL': body(`return new Worker(import.meta.url, { type: 'module' });`),
  'fetches a file': body('return await (await fetch("file://" + canary.private)).text();'),
  'requires a module': body(`return require('node:fs');`),
};

const harmless: Modules = {
  'replaces what events do': `import { EventEmitter } from 'node:events';\nEventEmitter.prototype.emit = () => { throw 1; };\nexport default () => ({ got: 1 });`,
  'replaces what object URLs do': `URL.createObjectURL = URL.revokeObjectURL = () => 'file:///etc/passwd';\nexport default () => ({ got: 1 });`,
  'is a program of WebAssembly': `const { instance } = await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));\nexport default () => ({ got: Object.keys(instance.exports).length + 1 });`,
  'is huge': `const text = '${'x'.repeat(4_000_000)}';\nexport default () => ({ got: text.length / 4_000_000 });`,
};

const anything: Modules = {
  'pollutes what the protocol reads': `Object.prototype.reason = 'function_threw'; Object.prototype.toJSON = () => '{}'; Array.prototype.toJSON = () => 1; Object.prototype.then = undefined;\n${main}`,
  'replaces promises while it loads': `Promise.prototype.then = function (resolve) { resolve({ type: 17, payload: new Uint8Array() }); };\n${main}`,
  'listens to what the runtime does asynchronously': `import { createHook, executionAsyncResource } from 'node:async_hooks';\nconst seen = [];\ncreateHook({ init: (...all) => { seen.push(all.map(String)); } }).enable();\nexport default async () => { await 1; return { seen: seen.slice(0, 20), resource: Object.keys(executionAsyncResource() ?? {}) }; };`,
  'subscribes to the channels of the runtime': `import { channel } from 'node:diagnostics_channel';\nconst seen = [];\nfor (const name of ['net.client.socket', 'http.client.request.start', 'child_process']) channel(name).subscribe((message) => seen.push(String(message)));\nexport default () => ({ seen });`,
  'looks for what others left in memory': `import { Buffer } from 'node:buffer';\nexport default () => ({ text: Array.from({ length: 50 }, () => Buffer.allocUnsafe(4096).toString('latin1').replaceAll(/[^ -~]/g, '')).join('').slice(0, 20_000) });`,
  'loads a library as an engine of ciphers': `import crypto from 'node:crypto';\nexport default ({ canary }) => { crypto.setEngine(canary.private); return {}; };`,
  'shows its own URL': `export default () => ({ url: import.meta.url, dir: import.meta.dirname ?? null, resolve: typeof import.meta.resolve });`,
};

const mapped: Modules = {
  'names a file as its source map': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=file://{{private}}`,
  'names a map with hostile paths': `export default () => { throw new Error('x'); };\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["file://{{private}}"],"mappings":"AAAA","sourceRoot":"/"}`,
};

export const bundles: readonly HostileProgram[] = [
  ...modules({ fault: 'import_not_allowed' }, imported, { expectedWithGlobals: { fault: 'import_not_allowed' } }),
  ...modules(refused('EvalError'), evaluated),
  ...modules(refused('ReferenceError'), named),
  ...modules({ output: { got: 1 } }, harmless),
  ...modules({ anything: true }, anything),
  ...modules({ reasons: ['function_threw'] }, mapped),
  ...modules(
    { reasons: ['never_settled', 'exited_early'] },
    {
      'awaits forever while it loads': `await new Promise(() => {});\n${main}`,
    },
  ),
  ...modules(
    either({ reasons: ['wall_limit'] }, { reasons: ['cpu_limit'] }),
    { 'loops forever while it loads': `for (;;);\n${main}` },
    { wallMs: 1_000 },
  ),
  ...modules(
    { output: { count: 1 } },
    { 'counts the tenants that it sees': 'let count = 0;\nexport default () => ({ count: ++count });' },
    {
      next: {
        category: 'bundle',
        name: 'counts the tenants before it',
        code: "// next\nimport all from 'package';\nexport default () => all;",
        bundle: { module: 'globalThis.count ??= 0;\nexport default () => ({ count: ++globalThis.count });' },
        expected: { output: { count: 1 } },
      },
    },
  ),
];
