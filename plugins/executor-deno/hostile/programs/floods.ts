import { bodies, either, threw } from '../program-rows.ts';

const flooded = either({ reasons: ['output_too_large', 'wall_limit', 'cpu_limit', 'exited_early'] });
const short = { wallMs: 1500 } as const;

const logs = bodies(
  'resources',
  flooded,
  {
    'a flood of console.log': `for (;;) console.log('x'.repeat(1000));`,
    'a flood of short lines': `for (;;) console.log('');`,
    'a flood of console.error': `for (;;) console.error('x'.repeat(1e5));`,
    'a flood of context.log': `for (;;) context.log.info('x'.repeat(1e4));`,
    'a flood of stdout': `const fs = await node('fs'); for (;;) fs.writeSync(1, 'x'.repeat(1e5));`,
    'a flood of stderr': `const fs = await node('fs'); for (;;) fs.writeSync(2, 'x'.repeat(1e5));`,
    'a flood of process.stdout': `const process = await node('process'); for (;;) process.stdout.write('x'.repeat(1e5));`,
    'a flood of marks': `const fs = await node('fs'); for (;;) fs.writeSync(1, '\\u001e'.repeat(1e5));`,
    'a flood of ends of marks': `const fs = await node('fs'); for (;;) fs.writeSync(1, '\\u001eI\\u001f'.repeat(3e4));`,
    'a flood of one line without an end': `const fs = await node('fs'); for (;;) fs.writeSync(1, 'x');`,
    'a flood of tables': `for (;;) console.table(Array.from({ length: 1000 }, (_, i) => ({ i })));`,
    'a flood of traces': `for (;;) console.trace('x'.repeat(1e4));`,
    'a flood from a timer after the return': `setInterval(() => console.log('x'.repeat(1e6)), 0); await new Promise(() => {});`,
    'a flood of nested groups': `for (;;) console.group('x'.repeat(100));`,
  },
  short,
);

const large = { reasons: ['output_too_large'] } as const;
const outputs = bodies(
  'output',
  large,
  {
    'one byte more than allowed': `return { x: 'x'.repeat(1000 - 7) };`,
    'two hundred megabytes': `return { x: 'x'.repeat(2e8) };`,
    'twice what is allowed': `return { x: 'x'.repeat(2000) };`,
    'fewer characters than bytes': `return { x: 'é'.repeat(600) };`,
    'many members': `return Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ['key' + i, i]));`,
    'a long name of a member': `return { ['x'.repeat(2000)]: 1 };`,
    'many escapes': `return { x: '\\u0000'.repeat(300) };`,
    'what toJSON makes large': `return { toJSON: () => ({ x: 'x'.repeat(1e6) }) };`,
    'the same object many times': `const object = { x: 'x'.repeat(100) }; return { all: new Array(1000).fill(object) };`,
  },
  { outputBytes: 1000 },
);

// A text that cannot be made may abort the engine without a word. On a busy machine the clock may come first.
const deep = bodies(
  'output',
  either(
    { reasons: ['output_unserializable', 'output_too_large', 'memory_limit', 'exited_early', 'wall_limit'] },
    threw,
  ),
  {
    'sixty-five levels': `let value = {}; for (let i = 0; i < 65; i++) value = { value }; return value;`,
    'a thousand levels of arrays': `let value = []; for (let i = 0; i < 1000; i++) value = [value]; return { value };`,
    'a million levels': `let value = {}; for (let i = 0; i < 1e6; i++) value = { value }; return value;`,
    'endless levels by a getter': `const make = () => ({ get deeper() { return make(); } }); return make();`,
    'endless levels by a proxy': `const make = () => new Proxy({}, { ownKeys: () => ['x'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (_, name) => (name === 'x' ? make() : undefined) }); return make();`,
    'endless levels by toJSON': `const make = () => ({ toJSON: () => ({ x: make() }) }); return make();`,
    'double at every level': `let value = { x: 1 }; for (let i = 0; i < 40; i++) value = { a: value, b: value }; return value;`,
  },
  { wallMs: 20_000 },
);

export const floods = [...logs, ...outputs, ...deep];
