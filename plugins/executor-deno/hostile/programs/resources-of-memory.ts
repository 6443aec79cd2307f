import { bodies, either, threw } from '../program-rows.ts';

/**
 * The heap has its own limit; what is outside of it is held by the kernel or by the clock. The clock holds all, where
 * others leave a program that computes for long next to no time.
 */
const heap = bodies(
  'resources',
  either({ reasons: ['memory_limit', 'wall_limit'] }),
  {
    'arrays that grow': `const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length));`,
    'objects that are kept': `const kept = []; for (;;) kept.push({ a: { b: { c: kept.length } } });`,
    'strings that are kept': `const kept = []; for (;;) kept.push(Array.from({ length: 1e5 }, (_, i) => i + kept.length).join());`,
    'a map that grows': `const map = new Map(); for (let i = 0; i < 16e6; i++) map.set(i, {}); for (;;) map.set({}, new Map([[1, {}]]));`,
    'closures that are kept': `const kept = []; for (;;) { const list = new Array(1e4).fill(kept); kept.push(() => list); }`,
    'symbols that are kept': `const kept = []; for (;;) kept.push(Symbol('x'.repeat(100) + kept.length));`,
    'promises that wait': `const kept = []; for (;;) kept.push(new Promise(() => {}).then(() => kept));`,
    'regular expressions that are kept': `const kept = []; for (;;) kept.push(new RegExp('a'.repeat(1000) + kept.length), 'x'.repeat(1e5).split(''));`,
    'properties of one object': `const object = {}; for (let i = 0; ; i++) object['key' + i] = new Array(1e4).fill(i);`,
    'a linked list': `let list = null; for (;;) list = { list, text: [1, 2, 3, 4] };`,
    'large integers': `const kept = []; for (;;) kept.push((1n << 1000000n) + BigInt(kept.length), new Array(1e4).fill(1));`,
    'functions that are compiled and kept': `const kept = []; for (;;) kept.push(new Function('return [' + '{},'.repeat(1000) + kept.length + ']')());`,
    'an array filled from its own copy': `let array = [{}, {}]; for (;;) array = array.concat(array.map((x) => ({ x })));`,
    'frames of suspended generators': `const kept = []; for (;;) { const it = (function* () { const list = new Array(100).fill(0); yield list; })(); it.next(); kept.push(it); }`,
    'weak references that are held': `const kept = []; for (;;) { const o = new Array(1e3).fill({}); kept.push(o, new WeakRef(o)); }`,
  },
  { wallMs: 20_000 },
);

const offHeap = bodies(
  'resources',
  either({ reasons: ['memory_limit', 'wall_limit', 'cpu_limit', 'exited_early'] }, threw),
  {
    'array buffers': `const kept = []; for (;;) kept.push(new Uint8Array(1e7).fill(1));`,
    'shared array buffers': `const kept = []; for (;;) kept.push(new Uint8Array(new SharedArrayBuffer(1e7)).fill(1));`,
    'a buffer that grows': `const buffer = new ArrayBuffer(1, { maxByteLength: 2e9 }); for (let n = 1e7; ; n += 1e7) { buffer.resize(n); new Uint8Array(buffer).fill(1); }`,
    'memory of WebAssembly': `const memory = new WebAssembly.Memory({ initial: 1, maximum: 32768 }); for (;;) { memory.grow(160); new Uint8Array(memory.buffer).fill(1); }`,
    'many memories of WebAssembly': `const kept = []; for (;;) { const memory = new WebAssembly.Memory({ initial: 100 }); new Uint8Array(memory.buffer).fill(1); kept.push(memory); }`,
    'tables of WebAssembly': `const kept = []; for (;;) kept.push(new WebAssembly.Table({ element: 'externref', initial: 1e6 }, {}));`,
    blobs: `const kept = []; for (;;) kept.push(new Blob([new Uint8Array(1e7).fill(1)]));`,
    'a gzip bomb': `const zeros = new Uint8Array(1e6); const kept = []; for await (const chunk of new ReadableStream({ pull(controller) { controller.enqueue(zeros); } }).pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'))) kept.push(chunk);`,
    'a gzip bomb of Node': `const { gzipSync, gunzipSync } = await node('zlib'); const kept = []; const bomb = gzipSync(new Uint8Array(5e7)); for (;;) kept.push(gunzipSync(bomb).fill(1));`,
    'a brotli bomb of Node': `const { brotliCompressSync, brotliDecompressSync } = await node('zlib'); const kept = []; const bomb = brotliCompressSync(new Uint8Array(1e7)); for (;;) kept.push(brotliDecompressSync(bomb).fill(1));`,
    'buffers of Node': `const { Buffer } = await node('buffer'); const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1));`,
    'streams that are never read': `const kept = []; for (;;) { const { writable } = new TransformStream({}, { highWaterMark: Infinity }); const writer = writable.getWriter(); void writer.write(new Uint8Array(1e7).fill(1)); kept.push(writer); await null; }`,
    'a stream that is split': `const [a, b] = new ReadableStream({ pull(controller) { controller.enqueue(new Uint8Array(1e7).fill(1)); } }).tee(); for await (const _ of a); return { b };`,
    'text that is encoded': `const kept = []; const text = 'x'.repeat(1e7); for (;;) kept.push(new TextEncoder().encode(text + kept.length));`,
    'a database in memory': `const { DatabaseSync } = await node('sqlite'); const database = new DatabaseSync(':memory:'); database.exec('create table x (y)'); const insert = database.prepare('insert into x values (randomblob(10000000))'); for (;;) insert.run();`,
    'clones of buffers': `const kept = []; const bytes = new Uint8Array(1e7).fill(1); for (;;) kept.push(structuredClone(bytes));`,
    'form data': `const form = new FormData(); for (let i = 0; ; i++) { form.append('x' + i, new Blob([new Uint8Array(1e7).fill(1)])); }`,
    responses: `const kept = []; for (;;) kept.push(await new Response(new Uint8Array(1e7).fill(1)).arrayBuffer());`,
    'compiled modules of WebAssembly': `const kept = []; for (;;) kept.push(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0])), new Uint8Array(1e6).fill(1));`,
    threads: `const kept = []; const { Worker } = await node('worker_threads'); for (let i = 0; i < 100; i++) kept.push(new Worker('setInterval(() => {}, 1000)', { eval: true, env: {}, argv: [], execArgv: [] })); await new Promise(() => setTimeout(() => {}, 1e6));`,
    'tables of symbols by JSON': `const kept = []; for (let i = 0; ; i++) kept.push(JSON.parse('{' + Array.from({ length: 1e4 }, (_, j) => '"k' + i + '_' + j + '":1').join() + '}'), new Uint8Array(1e6).fill(1));`,
  },
  { wallMs: 1200 },
);

const refusedAtOnce = bodies('resources', threw, {
  'a buffer of four terabytes': `return { x: new ArrayBuffer(2 ** 42).byteLength };`,
  'an array of four thousand million': `return { x: new Array(2 ** 32 - 1).fill(0).length };`.replace(
    '2 ** 32 - 1).fill(0)',
    '-1)',
  ),
  'a text of two to the thirty': `return { x: 'x'.repeat(2 ** 30).length };`,
  'a memory of WebAssembly beyond what there is': `return { x: new WebAssembly.Memory({ initial: 65537 }).buffer.byteLength };`,
  'a text joined beyond what there is': `return { x: new Array(1e6).fill('x'.repeat(1e4)).join('').length };`,
  'padding beyond what there is': `return { x: 'x'.padEnd(2 ** 30).length };`,
  'a large integer beyond what there is': `return { x: String(1n << (2n ** 40n)).length };`,
});

export const resourcesOfMemory = [...heap, ...offHeap, ...refusedAtOnce];
