import type { Expected } from '../hostile-program.ts';
import { bodies, either, sources, threw } from '../program-rows.ts';

const never = { reasons: ['never_settled'] } as const;
const early = { reasons: ['exited_early'] } as const;
const loading = { reasons: ['load_failed'] } as const;
const throws = (message: RegExp): Expected => ({ reasons: ['function_threw'], message });

const waiting = bodies('endings', never, {
  'a promise that never settles': `await new Promise(() => {});`,
  'a thenable that never settles': `return { then() {} };`,
  'a race of nothing': `await Promise.race([]);`,
  'a stream that never gives': `for await (const _ of new ReadableStream({})) ;`,
  'a timer that does not hold': `const { setTimeout } = await node('timers'); const timer = setTimeout(() => {}, 1e6); timer.unref(); await new Promise(() => {});`,
  'an iterator that never gives': `for await (const _ of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });`,
  'waiting on shared memory without blocking': `await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value;`,
  'promises that wait for each other': `let promise = Promise.resolve(); const next = () => { promise = promise.then(next); return promise; }; await next();`,
  'a lock of its own': `const done = Promise.withResolvers(); await done.promise;`,
});

// Exits of Node go through the global `Deno`. The bootstrap holds the real one, in a module of which nothing can be imported.
const bootstrap = `(/file:\\S+?main\\.js/u.exec(new Error().stack)?.[0] ?? 'file:///patchbay/bootstrap/main.js')`;
const heldExits = bodies('endings', threw, {
  'exit by what the bootstrap holds': `(await load(${bootstrap})).exit(0);`,
});
// Where walls were taken away, the bootstrap is in many modules.
const besideBootstrap = bodies(
  'endings',
  threw,
  {
    'exit by a module beside the bootstrap': `(await load(${bootstrap}.replace('main.js', 'captured.js'))).exit(0);`,
  },
  { expectedWithGlobals: either(threw, early) },
);
const realExits = bodies('endings', early, {
  'process.abort': `(await node('process')).abort();`,
});

const exits = bodies(
  'endings',
  either(early, { reasons: ['wall_limit'] }),
  {
    'process.exit with success': `(await node('process')).exit(0);`,
    'process.exit with a code': `(await node('process')).exit(7);`,
    'process.reallyExit': `(await node('process')).reallyExit(0);`,
    'exit in a timer': `const process = await node('process'); setTimeout(() => process.exit(0), 1); await new Promise(() => setTimeout(() => {}, 1e6));`,
    'exit while the output is written': `const process = await node('process'); return { get x() { process.exit(0); } };`,
    'exit in the handler of an exit': `const process = await node('process'); process.on('exit', () => process.exit(3)); process.exit(0);`,
    'killing itself by a fault of memory': `const process = await node('process'); process.kill(process.pid, 'SIGSEGV'); await new Promise(() => setTimeout(() => {}, 3000));`,
  },
  { wallMs: 3000 },
);
/** The first process of a namespace, as in the jail `unshare`, cannot kill itself, and returns nothing. */
const killed = bodies(
  'endings',
  { reasons: ['exited_early', 'wall_limit', 'output_unserializable'] },
  { 'killing itself': `const process = await node('process'); process.kill(process.pid, 'SIGKILL');` },
  { wallMs: 3000 },
);

const thrown: readonly (readonly [name: string, body: string, expected: Expected])[] = [
  ['throwing null', `throw null;`, throws(/^null$/)],
  ['throwing undefined', `throw undefined;`, throws(/^undefined$/)],
  ['throwing a symbol', `throw Symbol('x');`, throws(/^Symbol\(x\)$/)],
  ['throwing a function', `throw function named() {};`, throws(/named/)],
  ['throwing an object without a prototype', `throw Object.create(null);`, throws(/^\[Object: null prototype\] \{\}$/)],
  ['throwing a proxy that throws', `throw new Proxy({}, { get() { throw new Error('trap'); } });`, throws(/./)],
  [
    'throwing a revoked proxy',
    `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;`,
    throws(/./),
  ],
  ['throwing ten megabytes', `throw new Error('x'.repeat(1e7));`, throws(/^x{1000,2048}$/)],
  [
    'throwing control characters',
    `throw new Error('\\u001b[2J\\r\\n\\u0000\\u0007\\u202e');`,
    throws(/^[^\p{Cc}\p{Cf}]*$/u),
  ],
  ['throwing half a character', `throw new Error('\\ud800');`, threw],
  [
    'throwing what looks like a log of the host',
    `throw new Error('x\\n{"level":"error","message":"forged"}');`,
    throws(/^x [^\n]*$/),
  ],
  [
    'throwing a message that is no text',
    `throw Object.assign(new Error('x'), { message: { toString() { return 'y'; } } });`,
    threw,
  ],
  [
    'throwing an error with a cycle of causes',
    `const error = new Error('x'); error.cause = error; throw error;`,
    throws(/^x$/),
  ],
  [
    'throwing an aggregate of itself',
    `const error = new AggregateError([], 'x'); error.errors.push(error); throw error;`,
    throws(/x$/),
  ],
  ['throwing a promise', `throw new Promise(() => {});`, threw],
  ['throwing a Response', `throw new Response('x');`, threw],
  [
    'throwing what pretends to be a result',
    `throw { reason: 'output', message: '{"forged":true}', stack: '' };`,
    throws(/forged/),
  ],
  [
    'throwing what pretends to be cancelled',
    `throw Object.assign(new Error('x'), { name: 'cancelled', reason: 'cancelled' });`,
    throws(/^cancelled: x$/),
  ],
  ['overflowing the stack', `const f = () => f(); f();`, throws(/Maximum call stack/)],
  [
    'overflowing the stack in a getter',
    `const object = { get x() { return this.x; } }; return object;`,
    { reasons: ['output_unserializable'] },
  ],
  [
    'overflowing the stack by JSON',
    `let value = {}; for (let i = 0; i < 1e5; i++) value = { value }; JSON.stringify(value); return {};`,
    either(threw, { output: {} }),
  ],
  [
    'overflowing the stack of the regular expressions',
    `return { x: new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x') };`,
    throws(/regular expression|stack/i),
  ],
  [
    'overflowing the stack of the parser',
    `return { x: new Function('return ' + '['.repeat(1e6)) };`,
    throws(/stack|Unexpected/i),
  ],
  [
    'overflowing the stack of WebAssembly',
    `const { instance } = await WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,16,0,11])); instance.exports.f();`,
    throws(/stack/i),
  ],
  [
    'an unhandled rejection',
    `void Promise.reject(new Error('unhandled')); await new Promise((resolve) => setTimeout(resolve, 1000)); return {};`,
    throws(/^unhandled$/),
  ],
  [
    'an error in a timer',
    `setTimeout(() => { throw new Error('late'); }, 0); await new Promise((resolve) => setTimeout(resolve, 1000)); return {};`,
    throws(/^late$/),
  ],
  [
    'an error in a microtask',
    `queueMicrotask(() => { throw new Error('micro'); }); await new Promise((resolve) => setTimeout(resolve, 1000)); return {};`,
    throws(/^micro$/),
  ],
  [
    'an error that is reported',
    `reportError(new Error('reported')); await new Promise((resolve) => setTimeout(resolve, 1000)); return {};`,
    throws(/^reported$/),
  ],
  [
    'an error in the handler of errors',
    `addEventListener.call(globalThis, 'error', () => { throw new Error('again'); }); throw new Error('x');`,
    threw,
  ],
  ['returning nothing', `return;`, { reasons: ['output_unserializable'] }],
  [
    'returning and throwing later',
    `setTimeout(() => { throw new Error('late'); }, 50); return { done: true };`,
    { output: { done: true } },
  ],
  ['returning and going on', `setInterval(() => { for (;;); }, 0); return { done: true };`, { output: { done: true } }],
  [
    'returning and rejecting',
    `void Promise.resolve().then(() => Promise.resolve()).then(() => new Promise((_, reject) => setTimeout(reject, 20))); return { done: true };`,
    { output: { done: true } },
  ],
  [
    'returning and exiting',
    `const process = await node('process'); setTimeout(() => process.exit(9), 20); return { done: true };`,
    { output: { done: true } },
  ],
  [
    'preventing the end',
    `globalThis.onbeforeunload = (event) => event.preventDefault(); await new Promise(() => {});`,
    either(never, { reasons: ['wall_limit'] }),
  ],
];

// Deno marks no event as its own: to the bootstrap, these look like the end of everything that is pending.
const FORGE = `const forge = () => EventTarget.prototype.dispatchEvent.call(globalThis, new Event('beforeunload', { cancelable: true }));`;
const forgedEnds = [
  ...bodies('endings', never, { 'a forged end while it runs': `${FORGE} forge(); return { done: true };` }),
  ...bodies(
    'endings',
    { output: { done: true } },
    {
      'a forged end after the output': `${FORGE} setInterval(() => { forge(); for (;;); }, 0); return { done: true };`,
      'a listener of the end that goes on': `EventTarget.prototype.addEventListener.call(globalThis, 'beforeunload', () => setInterval(() => { for (;;); }, 0)); return { done: true };`,
      'a signal that goes on': `const again = () => { AbortSignal.timeout(1).onabort = again; }; again(); return { done: true };`,
      'a finalizer that goes on': `const registry = new FinalizationRegistry(() => again()); const again = () => registry.register({}, 0); again(); return { done: true };`,
    },
  ),
];

const atLoad = sources('endings', loading, {
  'a module that throws': `throw new Error('x');\nexport default () => ({});`,
  'a module that throws nothing': `throw undefined;\nexport default () => ({});`,
  'a module that throws what pretends to be loaded': `throw { type: 17, reason: 'function_threw' };\nexport default () => ({});`,
  'a default export that is changed': `let f = () => ({}); export { f as default }; f = 5;`,
  'a default export that is not there yet': `export default f;\nconst f = () => ({});`,
  'a class as the function': `class X {}\nconst f = (() => X)();\nexport { f as default };\nf.prototype = undefined; throw f;`,
  'rejecting while loading': `void Promise.reject(new Error('x'));\nawait new Promise((resolve) => setTimeout(resolve, 500));\nexport default () => ({});`,
});

const neverLoads = sources('endings', either(never, early, loading), {
  'an await at the top level that never settles': `await new Promise(() => {});\nexport default () => ({});`,
  'a module that exits': `(await new Function('return import("node:process")')().catch(() => ({ default: { exit() {} } }))).default.exit(0);\nawait new Promise(() => {});\nexport default () => ({});`,
});

export const endings = [
  ...waiting,
  ...heldExits,
  ...besideBootstrap,
  ...realExits,
  ...exits,
  ...killed,
  ...thrown.flatMap(([name, body, expected]) => bodies('endings', expected, { [name]: body })),
  ...forgedEnds,
  ...atLoad,
  ...neverLoads,
];
