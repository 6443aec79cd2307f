import type { Expected } from '../hostile-program.ts';
import { bodies } from '../program-rows.ts';

const unserializable = { reasons: ['output_unserializable'] } as const;

const refusals = bodies('output', unserializable, {
  'a BigInt': `return { x: 1n };`,
  'a BigInt deep inside': `return { x: [{ y: [1n] }] };`,
  'a cycle': `const x = {}; x.x = x; return x;`,
  'a cycle of arrays': `const x = []; x.push(x); return { x };`,
  'not a number': `return { x: NaN };`,
  infinity: `return { x: [-Infinity] };`,
  'a function': `return { x() {} };`,
  'a symbol': `return { x: Symbol('x') };`,
  'undefined in an array': `return { x: [undefined] };`,
  'a hole in an array': `return { x: [1, , 2] };`,
  'an array': `return [];`,
  'a text': `return '{"x":1}';`,
  'a number': `return 1;`,
  null: `return null;`,
  'a date, which is a text': `return new Date(0);`,
  'an object that is a number': `return new Number(5);`,
  'an object that is a text': `return new String('{"x":1}');`,
  'an array by toJSON': `return { toJSON: () => [] };`,
  'nothing by toJSON': `return { toJSON: () => undefined };`,
  'a function by toJSON': `return { toJSON: () => () => {} };`,
  'a proxy of an array': `return new Proxy([], {});`,
  'a revoked proxy': `const { proxy, revoke } = Proxy.revocable({}, {}); return { get x() { revoke(); return proxy; } };`,
  'a getter that throws': `return { get x() { throw new Error('trap'); } };`,
  'a toJSON that throws': `return { toJSON() { throw new Error('trap'); } };`,
  'keys that throw': `return new Proxy({}, { ownKeys() { throw new Error('trap'); } });`,
  'a function as the output': `return () => ({});`,
  'raw JSON of a number that is too large': `return { x: JSON.rawJSON('1e999') };`,
});

const values: readonly (readonly [name: string, body: string, output: unknown])[] = [
  ['a member that is undefined', `return { x: undefined, y: 1 };`, { y: 1 }],
  ['minus zero', `return { x: -0 };`, { x: 0 }],
  ['a map', `return { x: new Map([[1, 2]]) };`, { x: {} }],
  ['a date', `return { x: new Date(0) };`, { x: '1970-01-01T00:00:00.000Z' }],
  ['a lone surrogate', `return { x: '\\ud800' };`, { x: '\ud800' }],
  ['a name of a member that is a symbol', `return { [Symbol('x')]: 1 };`, {}],
  [
    '__proto__ as a member',
    `return JSON.parse('{"__proto__":{"polluted":true}}');`,
    JSON.parse('{"__proto__":{"polluted":true}}'),
  ],
  [
    'constructor as a member',
    `return { constructor: { prototype: { polluted: true } } };`,
    { constructor: { prototype: { polluted: true } } },
  ],
  ['then as a member that is no function', `return { then: 'x' };`, JSON.parse('{"then":"x"}')],
  ['a promise of a promise', `return Promise.resolve(Promise.resolve({ x: 1 }));`, { x: 1 }],
  ['a thenable', `return { then: (resolve) => resolve({ x: 1 }) };`, { x: 1 }],
  [
    'a thenable that answers twice',
    `return { then: (resolve, reject) => { resolve({ x: 1 }); resolve({ x: 2 }); reject(new Error('x')); } };`,
    { x: 1 },
  ],
  ['a getter with effects', `let n = 0; return { get x() { return ++n; } };`, { x: 1 }],
  ['a proxy', `return new Proxy({ x: 1 }, {});`, { x: 1 }],
  ['members that appear while they are written', `const o = { get a() { o.b = 2; return 1; } }; return o;`, { a: 1 }],
  [
    'members that vanish while they are written',
    `const o = { get a() { delete o.b; return 1; }, b: 2 }; return o;`,
    { a: 1 },
  ],
  ['typed arrays', `return { x: new Uint8Array([1, 2]) };`, { x: { 0: 1, 1: 2 } }],
  ['an error', `return { x: new Error('x') };`, { x: {} }],
  ['a number beyond what is exact', `return { x: 2 ** 53 + 1 };`, { x: 2 ** 53 }],
  ['line separators', `return { x: '\\u2028\\u2029' };`, { x: '\u2028\u2029' }],
  ['a closing script', `return { x: '</script><!--' };`, { x: '</script><!--' }],
  ['an object without a prototype', `return Object.assign(Object.create(null), { x: 1 });`, { x: 1 }],
  [
    'a frozen object with toJSON from outside',
    `Object.prototype.toJSON = () => ({ y: 2 }); return Object.freeze({ x: 1 });`,
    { y: 2 },
  ],
  [
    'sixty levels',
    `let value = {}; for (let i = 0; i < 60; i++) value = { value }; return { depth: JSON.stringify(value).match(/\\{/g).length };`,
    { depth: 61 },
  ],
];

export const outputValues = [
  ...refusals,
  ...values.flatMap(([name, body, output]) => bodies('output', { output } satisfies Expected, { [name]: body })),
];
