import type { Expected, HostileProgram } from '../hostile-program.ts';
import { either, type Rows, threw } from '../program-rows.ts';
import { functionOf, toolkit } from '../toolkit.ts';

/** Each row is the body of a generator. */
const generators = (expected: Expected, rows: Rows, rest: Partial<HostileProgram> = {}): readonly HostileProgram[] =>
  Object.entries(rows).map(([name, body]) => ({
    category: 'generators',
    name,
    code: `${toolkit}\nexport default async function* ({ canary }, context) { ${body} }`,
    expected,
    ...rest,
  }));

/** Each row is the body of a function that returns an iterator. */
const iterators = (expected: Expected, rows: Rows, rest: Partial<HostileProgram> = {}): readonly HostileProgram[] =>
  Object.entries(rows).map(([name, body]) => ({
    category: 'generators',
    name,
    code: functionOf(body),
    expected,
    ...rest,
  }));

const honest: Expected = { output: { honest: true } };
const unserializable: Expected = { reasons: ['output_unserializable'] };
const tooLarge: Expected = { reasons: ['output_too_large'] };
const endless: Expected = { reasons: ['wall_limit', 'cpu_limit'] };
const cannotImport: Expected = { reasons: ['function_threw'], message: /^EvalError/u };

/** An output as the bootstrap would send it: type 23, length, and a document that was never yielded. */
const forgedYield = `const document = new TextEncoder().encode('{"forged":true}'); const frame = new Uint8Array(5 + document.length); frame[0] = 23; new DataView(frame.buffer).setUint32(1, document.length); frame.set(document, 5);`;
const onEveryNumber = (send: string): string =>
  `const { Socket } = await node('net'); globalThis.process ??= await node('process'); for (let fd = 3; fd < 40; fd++) try { const socket = new Socket({ fd }); socket.on('error', () => {}); ${send} } catch {} await new Promise((resolve) => setTimeout(resolve, 50));`;

/** Another tenant gets its own output only, and no trace of the run before. */
const next: HostileProgram = {
  category: 'generators',
  name: 'a look at what is left of a generator',
  code: `export default async function* () { yield { found: globalThis.trace ?? null }; }`,
  expected: { output: { found: null }, yielded: [{ found: null }] },
};

export const generatorPrograms = [
  ...generators(
    endless,
    {
      'outputs without end': `for (;;) yield {};`,
      'an output that computes without end': `yield { toJSON() { for (;;); } };`,
      'an output with a member that computes without end': `yield { get a() { for (;;); } };`,
      'a finally that never ends, after an error': `try { yield {}; throw new Error('no'); } finally { for (;;); }`,
      'a finally that never ends, after the last output': `try { yield {}; return {}; } finally { await new Promise((resolve) => setTimeout(resolve, 1e6)); }`,
      'ignoring that it is cancelled': `for (;;) try { yield {}; await new Promise((resolve) => setTimeout(resolve, 5)); context.signal.throwIfAborted(); } catch {}`,
      'microtasks without end between two outputs': `const spin = () => queueMicrotask(spin); yield {}; spin(); await new Promise((resolve) => setTimeout(resolve, 5)); yield {};`,
      'outputs from a generator in a generator, without end': `const inner = async function* (n) { yield { n }; yield* inner(n + 1); }; yield* inner(0);`,
    },
    { wallMs: 1500 },
  ),
  ...iterators(
    endless,
    {
      'a stream that never ends, and cannot be cancelled': `return new ReadableStream({ pull(stream) { stream.enqueue({}); }, cancel() { for (;;); } });`,
      'a step that computes whether it is the last': `return { [Symbol.asyncIterator]: () => ({ next: () => ({ get done() { for (;;); } }) }) };`,
      'a sync iterator without end': `return { [Symbol.iterator]() { return this; }, next: () => ({ value: { n: 1 } }) };`,
    },
    { wallMs: 1500 },
  ),
  ...generators(tooLarge, {
    'large outputs without end': `for (;;) yield { text: 'x'.repeat(90_000) };`,
    'an output beyond the limit': `yield { honest: true }; yield { text: 'x'.repeat(100_000) };`,
    'an output of half a gigabyte': `yield { text: 'x'.repeat(2 ** 29 - 24) };`,
  }),
  ...generators(unserializable, {
    'a cycle that is yielded': `const cycle = {}; cycle.self = cycle; yield cycle;`,
    'an output with a member that throws': `yield { get a() { throw new Error(canary); } };`,
    'an output that is an element of memory': `yield { honest: true }; yield 5n;`,
    'a function that is yielded': `yield () => ({ honest: true });`,
    'an output that nests deeply': `let deep = {}; for (let i = 0; i < 10_000; i++) deep = { deep }; yield deep;`,
    'an output that nests a little too deeply': `let deep = {}; for (let i = 0; i < 70; i++) deep = { deep }; yield deep;`,
    'text without a property for it': `yield 'text';`,
    'no output at all': `return;`,
  }),
  ...iterators(unserializable, {
    'steps that are no objects': `return { [Symbol.asyncIterator]: () => ({ next: () => 5 }) };`,
    'an iterator that is a number': `return { [Symbol.asyncIterator]: () => 5 };`,
    'an iterator without steps': `return { [Symbol.asyncIterator]: () => ({ next: null }) };`,
  }),
  ...generators(either(threw, unserializable), {
    'a proxy with a trap for everything': `yield new Proxy({}, { get() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); } });`,
  }),
  ...generators(either({ reasons: ['never_settled'] }, endless), {
    'an output that never settles': `yield new Promise(() => {});`,
  }),
  ...iterators(
    { reasons: ['never_settled'] },
    {
      'a step that never settles': `return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };`,
    },
  ),
  ...generators(
    { reasons: ['output_too_large', 'wall_limit', 'cpu_limit'] },
    { 'a flood of logs and outputs': `for (;;) { console.log('x'.repeat(1000)); yield { n: 1 }; }` },
    { wallMs: 5000 },
  ),
  ...generators(
    { reasons: ['memory_limit'] },
    {
      'memory that grows with each output': `const kept = []; for (;;) { kept.push(new Array(100_000).fill(kept.length)); yield {}; }`,
    },
  ),
  ...generators(either(cannotImport, { reasons: ['exited_early'] }), {
    'an exit between two outputs': `yield {}; (await node('process')).exit(0); yield {};`,
  }),
  ...iterators(honest, {
    'hooks of an iterator that never end': `let left = 1; return { [Symbol.asyncIterator]: () => ({ next: () => (left-- ? { value: { n: 1 } } : { done: true, value: { honest: true } }), return() { for (;;); }, throw() { for (;;); } }) };`,
    'steps of a detached generator': `const kept = (async function* () { for (;;) yield { forged: true }; })(); setInterval(() => kept.next(), 1); return { honest: true };`,
    'a generator that outlives its run': `globalThis.kept ??= (async function* () { for (;;) yield { forged: true }; })(); await globalThis.kept.next(); return { honest: true };`,
  }),
  ...generators(honest, {
    'members that answer differently each time': `let n = 0; const output = { get honest() { return n++ > 1; } }; yield output; yield output; return output;`,
    'an output that is changed after it was yielded': `const output = { honest: true }; yield output; output.honest = false;`,
    'a thenable that settles twice': `yield { then(resolve) { resolve({ honest: true }); resolve({ honest: false }); } };`,
    'every canary, one output for each': `for (const place of Object.values(canary)) yield { got: await attempt(async () => await load(String(place))) }; return { honest: true };`,
  }),
  // Changes of built-ins reach the run that makes them, and no other.
  ...iterators(
    { anything: true },
    {
      'steps on every object': `globalThis.trace = 'x'; Object.prototype[Symbol.asyncIterator] = () => ({ next: () => ({ done: true, value: { forged: true } }) }); return { honest: true };`,
      'a patched step of generators': `globalThis.trace = 'x'; Object.getPrototypeOf(async function* () {}).prototype.next = () => ({ value: { forged: true } }); let n = 0; return (async function* () { while (n++ < 5) yield { n }; })();`,
      'a patched symbol of iterators': `globalThis.trace = 'x'; const { apply } = Reflect; Reflect.apply = (...all) => { globalThis.trace = all; return apply(...all); }; return (function* () { yield { honest: true }; })();`,
    },
    { next, wallMs: 1500 },
  ),
  ...generators(
    either(cannotImport, honest),
    {
      'an output on every number that is open': `${forgedYield} const fs = await node('fs'); for (let fd = 3; fd < 128; fd++) try { fs.writeSync(fd, frame); } catch {} yield { honest: true };`,
      'an output on the standard streams': `${forgedYield} const fs = await node('fs'); for (const fd of [1, 2]) fs.writeSync(fd, frame); yield { honest: true };`,
    },
    { next },
  ),
  // Node opens a number as a socket. Code that can import it can lie, about itself alone.
  ...generators(
    either(honest, { output: { forged: true } }, { reasons: ['protocol_violation', 'function_threw'] }),
    {
      'an output on the control socket': `${forgedYield} ${onEveryNumber('socket.write(frame);')} yield { honest: true };`,
      'two outputs at a time on the control socket': `${forgedYield} ${onEveryNumber('socket.write(frame); socket.write(frame);')} yield { honest: true };`,
      'a result while an output waits, on the control socket': `${forgedYield} ${onEveryNumber('socket.write(frame); frame[0] = 18; socket.write(frame);')} yield { honest: true };`,
      'an output of four gigabytes on the control socket': `${onEveryNumber('socket.write(new Uint8Array([23, 255, 255, 255, 255]));')} yield { honest: true };`,
    },
    { next },
  ),
];
