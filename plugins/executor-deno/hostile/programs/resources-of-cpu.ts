import { attempts, bodies, either, sources } from '../program-rows.ts';

const endless = either({ reasons: ['wall_limit', 'cpu_limit'] });
const short = { wallMs: 400 } as const;

const loops = bodies(
  'resources',
  endless,
  {
    'an endless loop': `for (;;);`,
    'an endless loop that catches everything': `for (;;) try { for (;;); } catch {} finally { continue; }`,
    'an endless loop in finally': `try { return {}; } finally { for (;;); }`,
    'an endless loop after an await': `await null; while (true) {}`,
    'an endless loop in a microtask': `await Promise.resolve().then(() => { for (;;); });`,
    'an endless chain of microtasks': `const again = () => Promise.resolve().then(again); await again();`,
    'an endless chain of queueMicrotask': `const again = () => queueMicrotask(again); again(); await new Promise(() => setTimeout(() => {}, 1e6));`,
    'an endless chain of ticks': `const process = await node('process'); const again = () => process.nextTick(again); again(); await new Promise(() => setTimeout(() => {}, 1e6));`,
    'an endless chain of immediates': `const { setImmediate } = await node('timers'); const again = () => setImmediate(again); again(); await new Promise(() => {});`,
    'an endless chain of timers': `const again = () => setTimeout(again, 0); again(); await new Promise(() => {});`,
    'an interval without end': `setInterval(() => {}, 1); await new Promise(() => {});`,
    'ten thousand intervals': `for (let i = 0; i < 1e4; i++) setInterval(() => {}, 1); await new Promise(() => {});`,
    'an endless generator': `for (const _ of (function* () { for (;;) yield 1; })());`,
    'an endless iterator': `return { all: [...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }].length };`,
    'an endless async generator': `for await (const _ of (async function* () { for (;;) yield 1; })());`,
    'an endless stream': `for await (const _ of new ReadableStream({ pull(controller) { controller.enqueue(1); } }));`,
    'an endless event': `const target = new EventTarget(); target.addEventListener('x', () => queueMicrotask(() => target.dispatchEvent(new Event('x')))); target.dispatchEvent(new Event('x')); await new Promise(() => setTimeout(() => {}, 1e6));`,
    'an endless getter of the output': `return { get x() { for (;;); } };`,
    'an endless toJSON': `return { toJSON() { for (;;); } };`,
    'an endless proxy': `return new Proxy({}, { ownKeys() { for (;;); } });`,
    'an endless then': `return { then() { for (;;); } };`,
    'a thenable that gives itself': `const self = { then: (resolve) => resolve(self) }; return self;`,
    'an endless toString of what is thrown': `throw { get message() { for (;;); } };`,
    'an endless name of what is thrown': `throw Object.defineProperty(new Error('x'), 'name', { get() { for (;;); } });`,
    'an endless stack trace': `Error.prepareStackTrace = () => { for (;;); }; throw new Error('x');`,
    'an endless inspection': `console.log({ [Symbol.for('Deno.customInspect')]() { for (;;); } });`,
    'an endless toPrimitive': `return { x: +{ [Symbol.toPrimitive]() { for (;;); } } };`,
    'an endless comparison': `[2, 1].sort(() => { for (;;); });`,
    'an endless reviver': `JSON.parse('{"x":1}', () => { for (;;); });`,
    'a nested catastrophe of a regular expression': `return { x: /^(a+)+$/u.test('a'.repeat(40) + '!') };`,
    'an overlapping catastrophe of a regular expression': `return { x: /^(?:a|aa)+$/.test('a'.repeat(60) + '!') };`,
    'a catastrophe of look-behind': `return { x: /(?<=^(a+)+)b/.test('x' + 'a'.repeat(40) + 'b') };`,
    'a catastrophe of replacing': `return { x: 'x'.repeat(5e4).replace(/x*y/g, '').length + 'x'.repeat(2e5).replace(/x*x*y/g, '').length };`,
    'a large power': `return { x: String(7n ** 40000000n).length };`,
    'a large product': `let x = 3n; for (;;) x *= x;`,
    'a large number as text': `return { x: String(1n << 60000000n).length };`,
    'waiting on shared memory': `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return {};`,
    'an endless loop of WebAssembly': `const { instance } = await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11])); instance.exports.f();`,
    'an endless start of WebAssembly': `await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,8,1,0,10,9,1,7,0,3,64,12,0,11,11]));`,
    'hashing without end': `const bytes = new Uint8Array(1e6); for (;;) await crypto.subtle.digest('SHA-512', bytes);`,
    'a key derived in a billion rounds': `const key = await crypto.subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']); await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 1e9 }, key, 256);`,
    'a large key pair': `await crypto.subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 16384, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, ['encrypt']);`,
    'many key pairs at once': `for (;;) await Promise.all(Array.from({ length: 64 }, () => crypto.subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 4096, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, ['encrypt'])));`,
    'scrypt beyond measure': `const { scryptSync } = await node('crypto'); scryptSync('x', 'y', 64, { N: 2 ** 15, r: 8, p: 1000, maxmem: 2 ** 31 });`,
    'compression without end': `const zeros = new Uint8Array(1e6); for await (const _ of new ReadableStream({ pull(controller) { controller.enqueue(zeros); } }).pipeThrough(new CompressionStream('gzip')));`,
    'a date for ever': `while (Date.now() > 0) performance.now();`,
    'a collation of long texts': `const text = 'ä\\u0301'.repeat(1e6); for (;;) text.localeCompare(text + 'a');`,
    'normalisation of long texts': `const text = 'ﷺ'.repeat(1e5); for (;;) text.normalize('NFKD');`,
    'URL patterns without end': `for (let i = 0; ; i++) new URLPattern({ pathname: '/:a(' + 'x?'.repeat(500) + ')' + i });`,
    'compiling functions without end': `for (let i = 0; ; i++) new Function('return ' + i)();`,
    'parsing without end': `for (;;) JSON.parse('['.repeat(5000) + ']'.repeat(5000));`,
    'cloning without end': `const value = { list: Array.from({ length: 1e4 }, (_, i) => ({ i })) }; for (;;) structuredClone(value);`,
    'garbage without end': `for (;;) new Array(1e4).fill({});`,
    'finalizers without end': `const registry = new FinalizationRegistry(() => { for (;;); }); for (;;) { registry.register({}, 1); await null; }`,
  },
  short,
);

const whileLoading = sources(
  'resources',
  endless,
  {
    'an endless loop at the top level': `for (;;);\nexport default () => ({});`,
    'an endless regular expression at the top level': `/^(a+)+$/.test('a'.repeat(40) + '!');\nexport default () => ({});`,
    'an endless loop in a static block': `class X { static { for (;;); } }\nexport default () => ({ X });`,
    'an endless await at the top level': `await new Promise((resolve) => setTimeout(resolve, 1e6));\nexport default () => ({});`,
    'an endless default value': `export default ({ x = (() => { for (;;); })() }) => ({ x });`,
  },
  short,
);

const sleeping = attempts(
  'resources',
  endless,
  {
    'sleeping on purpose': `await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))`,
  },
  short,
);

export const resourcesOfCpu = [...loops, ...whileLoading, ...sleeping];
