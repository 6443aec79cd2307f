import { bodies, either, sources } from '../program-rows.ts';

/** The bootstrap uses what it took before the code was loaded: whatever is replaced, the output is the one returned. */
const honest = { output: { honest: true, list: [1, 2, 3], text: 'x' } } as const;
const value = `{ honest: true, list: [1, 2, 3], text: 'x' }`;
const forged = `'{"forged":true}'`;

export const patches: Readonly<Record<string, string>> = {
  'JSON.stringify': `JSON.stringify = () => ${forged};`,
  'JSON.parse': `JSON.parse = () => ({ forged: true });`,
  'JSON itself': `globalThis.JSON = { stringify: () => ${forged}, parse: () => ({}) };`,
  'TextEncoder.prototype.encode': `TextEncoder.prototype.encode = () => new Uint8Array([123, 125]);`,
  'TextEncoder.prototype.encodeInto': `TextEncoder.prototype.encodeInto = () => ({ read: 0, written: 0 });`,
  'TextDecoder.prototype.decode': `TextDecoder.prototype.decode = () => ${forged};`,
  'TextEncoder itself': `globalThis.TextEncoder = class { encode() { return new Uint8Array([123, 125]); } };`,
  'Uint8Array.prototype.set': `Object.getPrototypeOf(Uint8Array.prototype).set = function () {};`,
  'Uint8Array.prototype.subarray': `Object.getPrototypeOf(Uint8Array.prototype).subarray = function () { return this; };`,
  'Uint8Array.prototype.slice': `Object.getPrototypeOf(Uint8Array.prototype).slice = function () { return this; };`,
  'the iterator of Uint8Array': `Object.getPrototypeOf(Uint8Array.prototype)[Symbol.iterator] = function* () { yield 0; };`,
  'Uint8Array itself': `globalThis.Uint8Array = class extends Array {};`,
  'DataView.prototype.setUint32': `DataView.prototype.setUint32 = function () {};`,
  'DataView itself': `globalThis.DataView = class {};`,
  'Promise.prototype.catch and finally': `Promise.prototype.catch = Promise.prototype.finally = function () { return Promise.resolve({ forged: true }); };`,
  'Promise.resolve': `Promise.resolve = () => ({ then(resolve) { resolve({ forged: true }); } });`,
  'Promise[Symbol.species]': `Object.defineProperty(Promise, Symbol.species, { value: class { constructor(run) { run(() => {}, () => {}); } }, configurable: true });`,
  'Promise itself': `globalThis.Promise = class { then() {} };`,
  'Array.prototype.push and join': `Array.prototype.push = Array.prototype.join = () => ${forged};`,
  'Array.prototype[Symbol.iterator]': `Array.prototype[Symbol.iterator] = function* () { yield ${forged}; };`,
  'Array.prototype.map, filter, forEach': `for (const name of ['map', 'filter', 'forEach', 'slice', 'concat']) Array.prototype[name] = () => [];`,
  'the setter of an index of arrays': `Object.defineProperty(Array.prototype, '0', { set() {}, get: () => 'forged', configurable: true });`,
  'Array.isArray': `Array.isArray = () => true;`,
  'Array.from': `Array.from = () => ['forged'];`,
  'Number.isFinite': `Number.isFinite = () => false;`,
  'String.prototype.slice and at': `String.prototype.slice = String.prototype.at = String.prototype.charCodeAt = () => 'forged';`,
  'String itself': `globalThis.String = () => 'forged';`,
  'Symbol.prototype and Symbol.for': `Symbol.for = () => Symbol('forged');`,
  'Symbol.hasInstance of the types of the language': `for (const type of [Array, Promise, Error, Uint8Array]) Object.defineProperty(type, Symbol.hasInstance, { value: () => false });`,
  'Reflect.apply and construct': `Reflect.apply = Reflect.construct = () => ({ forged: true });`,
  'Reflect itself': `globalThis.Reflect = {};`,
  'Object.keys, entries, assign': `Object.keys = Object.entries = Object.getOwnPropertyNames = () => []; Object.assign = () => ({ forged: true });`,
  'Object.defineProperty': `Object.defineProperty = () => ({ forged: true });`,
  'Object itself': `globalThis.Object = function () { return { forged: true }; };`,
  'setters on Object.prototype for what reports have': `for (const name of ['reason', 'message', 'name', 'stack', 'type', 'payload', 'value', 'done', 'bytes']) Object.defineProperty(Object.prototype, name, { __proto__: null, set() { throw new Error('trap'); }, get: () => undefined, configurable: true });`,
  'getters on Object.prototype for options': `for (const name of ['get', 'set', 'writable', 'enumerable', 'configurable']) Object.prototype[name] = undefined;`,
  'then on Object.prototype': `Object.defineProperty(Object.prototype, 'then', { get: () => undefined, configurable: true });`,
  'bytes on Object.prototype': `Object.prototype.bytes = new Uint8Array([123, 125]); delete Object.prototype.bytes;`,
  'Map.prototype': `Map.prototype.get = () => ({ forged: true }); Map.prototype.set = Map.prototype.has = () => true;`,
  'WeakMap.prototype': `WeakMap.prototype.get = () => ({ forged: true }); WeakMap.prototype.set = WeakMap.prototype.has = () => true;`,
  'Set.prototype': `Set.prototype.has = Set.prototype.add = () => true;`,
  'RegExp.prototype.exec': `RegExp.prototype.exec = () => ['forged']; RegExp.prototype.test = () => true;`,
  'RegExp.prototype[Symbol.replace]': `RegExp.prototype[Symbol.replace] = RegExp.prototype[Symbol.split] = () => 'forged';`,
  'the iterator of generators': `Object.getPrototypeOf(function* () {}).prototype.next = () => ({ done: true, value: { forged: true } });`,
  'the prototype of async functions': `Object.setPrototypeOf(Object.getPrototypeOf(async () => {}), null);`,
  'Error and its stack': `Error.stackTraceLimit = 1e6; Error.prepareStackTrace = () => ({ forged: true }); Error.captureStackTrace = () => {};`,
  'Error itself': `globalThis.Error = globalThis.TypeError = class { constructor() { throw { forged: true }; } };`,
  timers: `globalThis.setTimeout = globalThis.queueMicrotask = globalThis.setInterval = (f) => f({ forged: true });`,
  'globalThis, all of it': `for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name]; } catch {}`,
  'Event.prototype': `Event.prototype.preventDefault = () => { throw { forged: true }; };`,
  'EventTarget.prototype': `EventTarget.prototype.addEventListener = EventTarget.prototype.dispatchEvent = () => true;`,
  'BigInt.prototype.toJSON': `BigInt.prototype.toJSON = () => 1;`,
  'AbortSignal.prototype': `Object.defineProperty(AbortSignal.prototype, 'aborted', { get: () => true });`,
  'console and what is behind it': `for (const name of Object.keys(console)) console[name] = () => { throw { forged: true }; };`,
  'Object.prototype, frozen': `for (const o of [Object, Array, Function, Promise, String, Uint8Array, Error]) { Object.freeze(o.prototype); Object.freeze(o); }`,
  'globalThis, frozen': `Object.preventExtensions(globalThis);`,
  'the prototype of the prototypes': `Object.setPrototypeOf(Array.prototype, new Proxy(Object.prototype, { get: (target, name) => (name === 'then' ? undefined : Reflect.get(target, name)) }));`,
};

/**
 * Deno itself uses these: code that replaces them may lose its own answer, and gets no other. Some cannot be replaced.
 */
const foundations: Readonly<Record<string, string>> = {
  'the length of Uint8Array': `Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'length', { get: () => 2, configurable: true });`,
  'the buffer of Uint8Array': `Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'buffer', { get: () => new ArrayBuffer(8), configurable: true });`,
  'Function.prototype.apply': `Function.prototype.apply = () => ({ forged: true });`,
  'Function.prototype.bind': `Function.prototype.bind = () => () => ({ forged: true });`,
  'Promise.prototype.then': `const { then } = Promise.prototype; Promise.prototype.then = function (resolve, reject) { return then.call(this, () => resolve?.({ forged: true }), reject); };`,
  'Promise.prototype.constructor': `Object.defineProperty(Promise.prototype, 'constructor', { get() { return class extends Promise { static get [Symbol.species]() { return Object; } }; }, configurable: true });`,
  'Function.prototype.call': `Function.prototype.call = () => ({ forged: true });`,
};

/** Changes of a function to the serialization of values affect its own output only. */
const ownValueOnly = either(
  honest,
  { output: { forged: true } },
  { reasons: ['output_unserializable', 'function_threw', 'load_failed', 'exited_early', 'never_settled'] },
);

export const patchedPrototypes = [
  ...Object.entries(patches).flatMap(([name, patch]) => [
    ...bodies('forgery', honest, { [`${name} replaced while running`]: `${patch} return ${value};` }),
    ...sources('forgery', honest, { [`${name} replaced while loading`]: `${patch}\nexport default () => (${value});` }),
  ]),
  ...Object.entries(foundations).flatMap(([name, patch]) => [
    ...bodies('forgery', ownValueOnly, { [`${name} replaced while running`]: `${patch} return ${value};` }),
    ...sources('forgery', ownValueOnly, {
      [`${name} replaced while loading`]: `${patch}\nexport default () => (${value});`,
    }),
  ]),
  ...bodies('forgery', ownValueOnly, {
    'toJSON on Object.prototype': `Object.prototype.toJSON = () => ({ forged: true }); return ${value};`,
    'then on Object.prototype that resolves': `Object.defineProperty(Object.prototype, 'then', { value(resolve) { delete Object.prototype.then; resolve({ forged: true }); }, configurable: true, writable: true }); return ${value};`,
  }),
];
