/** Something that code of a function can try. */
export interface RuntimeItem {
  readonly name: string;
  /** An expression, with the context of the function by the name `context`. Its value is the same in every run. */
  readonly example: string;
}

export interface RuntimeSection {
  readonly title: string;
  /** About the section, for its readers. */
  readonly text?: string;
  readonly items: readonly RuntimeItem[];
}

const section = (title: string, examples: Readonly<Record<string, string>>, text?: string): RuntimeSection => ({
  title,
  ...(text !== undefined && { text }),
  items: Object.entries(examples).map(([name, example]) => ({ name, example })),
});

/** The subjects of docs/reference/runtime.md. A run determines whether each of them works. */
export const runtimeSections: readonly RuntimeSection[] = [
  section('Language', {
    'async generators': '(async function* () { yield 1; })()[Symbol.asyncIterator]().next().then(({ value }) => value)',
    'iterator helpers': '[1, 2, 3].values().map((n) => n * 2).toArray()',
    'Object.groupBy': "Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))",
    'Array.fromAsync': 'Array.fromAsync([Promise.resolve(1)])',
    'Promise.withResolvers': 'typeof Promise.withResolvers().promise',
    'Set methods': '[...new Set([1, 2]).union(new Set([3]))]',
    BigInt: 'String(2n ** 64n)',
    Proxy: "new Proxy({}, { get: () => 'trapped' }).any",
    WeakRef: 'new WeakRef({ a: 1 }).deref().a',
    'regular expressions with the flag v': "/^[\\p{L}--[a-z]]$/v.test('é')",
    'explicit resource management': '(() => { using resource = { [Symbol.dispose]() {} }; return typeof resource; })()',
    SharedArrayBuffer: 'new SharedArrayBuffer(8).byteLength',
    Float16Array: 'new Float16Array([1.5])[0]',
    'Uint8Array.toBase64': 'new Uint8Array([104, 105]).toBase64()',
  }),
  section('Text, numbers and dates', {
    'Intl.DateTimeFormat': "new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin' }).format(new Date(0))",
    'Intl.NumberFormat': "new Intl.NumberFormat('en-IN').format(1234567)",
    'Intl.Segmenter': "[...new Intl.Segmenter('en', { granularity: 'word' }).segment('a b')].length",
    'Intl.Collator': "['ä', 'z', 'a'].sort(new Intl.Collator('de').compare)",
    'Intl.PluralRules': "new Intl.PluralRules('pl').select(3)",
    Temporal: "Temporal.PlainDate.from('2026-02-28').add({ days: 1 }).toString()",
    TextEncoder: "[...new TextEncoder().encode('é')]",
    TextDecoder: "new TextDecoder('windows-1252').decode(new Uint8Array([0xe9]))",
    'atob, btoa': "atob(btoa('text'))",
    structuredClone: 'structuredClone(new Map([[1, { a: 2 }]])).get(1)',
  }),
  section('Web', {
    URL: "new URL('?q=1', 'https://a.test/b').searchParams.get('q')",
    URLPattern: "new URLPattern({ pathname: '/users/:id' }).exec('https://a.test/users/5').pathname.groups.id",
    'Headers, Request, Response': 'new Response(\'{"a":1}\').json()',
    'FormData, Blob, File':
      "(() => { const form = new FormData(); form.set('a', new File(['text'], 'a.txt')); return form.get('a').name; })()",
    ReadableStream:
      "new Response(new ReadableStream({ start(stream) { stream.enqueue(new TextEncoder().encode('a')); stream.close(); } })).text()",
    TransformStream: "new Response(new Blob(['a']).stream().pipeThrough(new TransformStream())).text()",
    'CompressionStream, DecompressionStream':
      "new Response(new Blob(['text']).stream().pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'))).text()",
    'AbortController, AbortSignal': 'AbortSignal.any([AbortSignal.abort(), new AbortController().signal]).aborted',
    'AbortSignal.timeout': 'AbortSignal.timeout(1_000).aborted',
    'Event, EventTarget': "new EventTarget().dispatchEvent(new Event('a'))",
    'setTimeout, setInterval': "new Promise((resolve) => setTimeout(resolve, 1, 'later'))",
    queueMicrotask: "new Promise((resolve) => queueMicrotask(() => resolve('soon')))",
    'performance.now': 'typeof performance.now()',
    reportError: 'typeof reportError',
  }),
  section('Cryptography', {
    'crypto.randomUUID': 'crypto.randomUUID().length',
    'crypto.getRandomValues': 'crypto.getRandomValues(new Uint8Array(4)).length',
    'crypto.subtle.digest':
      "crypto.subtle.digest('SHA-256', new Uint8Array()).then((hash) => new Uint8Array(hash).toHex().slice(0, 8))",
    HMAC: "crypto.subtle.importKey('raw', new Uint8Array(32), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']).then((key) => crypto.subtle.sign('HMAC', key, new Uint8Array())).then((signature) => signature.byteLength)",
    'AES-GCM':
      "crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']).then(({ algorithm }) => algorithm.length)",
    Ed25519: "crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']).then(({ publicKey }) => publicKey.type)",
  }),
  section('Console and logs', {
    'console.log': "console.log('text', { a: 1 }) ?? 'logged'",
    'console.table': "console.table([{ a: 1 }]) ?? 'logged'",
    'console.time': "(console.time('a'), console.timeEnd('a')) ?? 'logged'",
    'console.group, console.count': "(console.group('a'), console.count(), console.groupEnd()) ?? 'logged'",
    'context.log': "context.log.info('text', { field: 1 }) ?? 'logged'",
  }),
  section(
    'Context',
    {
      'context.executionId': 'typeof context.executionId',
      'context.signal': 'context.signal.aborted',
      'context.fetch': "context.fetch('https://api.example/').then(({ status }) => status)",
      'context.ai': 'typeof context.ai.generate',
      'context.functions': 'typeof context.functions.anything',
      'context.tools': 'typeof context.tools.server.tool',
      'context.secrets': 'context.secrets.KEY',
    },
    'What a function may reach through it is decided by the [config and the caller](../guide/functions.md#context).',
  ),
  section('WebAssembly', {
    'WebAssembly.validate': 'WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
    'WebAssembly.instantiate':
      'WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(({ module }) => WebAssembly.Module.exports(module))',
  }),
  section('Network and files', {
    'fetch without the context': "fetch('https://api.example/')",
    WebSocket: "new WebSocket('wss://api.example/')",
    EventSource: "new EventSource('https://api.example/')",
    Deno: 'Deno.readTextFile("/etc/hostname")',
    process: 'process.env',
    Buffer: "Buffer.from('a')",
    require: "require('node:fs')",
    localStorage: "localStorage.getItem('a')",
    caches: "caches.open('a')",
    indexedDB: "indexedDB.open('a')",
  }),
  section('Code and processes', {
    eval: "eval('1 + 1')",
    'new Function': "new Function('return 1')()",
    Worker: "new Worker('data:text/javascript,')",
    setImmediate: 'setImmediate(() => {})',
    navigator: 'navigator.hardwareConcurrency',
    'alert, prompt, confirm': "prompt('?')",
    'replacing Function.prototype.call': 'Function.prototype.call = () => {}',
  }),
];

/** Sources that are refused when they are saved, or not. */
export const runtimeSources: readonly RuntimeItem[] = Object.entries({
  'an import of a package': "import { parse } from 'some-package';\nexport default () => ({});",
  'an import of a file': "import './other.js';\nexport default () => ({});",
  'an import of a URL': "import 'https://deno.land/x/a.ts';\nexport default () => ({});",
  'import()': "export default async () => await import('data:text/javascript,');",
  'a decorator': 'const mark = (value) => value;\n@mark class A {}\nexport default () => ({});',
  'top-level await': 'const value = await Promise.resolve(1);\nexport default () => ({ value });',
  'TypeScript: enum, namespace, parameter properties': 'enum A { B }\nexport default (input: object) => ({ a: A.B });',
  'a generator': 'export default async function* () { yield {}; }',
  JSX: 'export default () => ({ a: <b /> });',
}).map(([name, example]) => ({ name, example }));

/** Modules of Node.js that authors look for most, and that are refused. */
export const refusedModules: readonly string[] = [
  'child_process',
  'cluster',
  'dns',
  'fs',
  'http',
  'https',
  'inspector',
  'module',
  'net',
  'os',
  'process',
  'sqlite',
  'tls',
  'vm',
  'worker_threads',
  'zlib',
].map((name) => `node:${name}`);
