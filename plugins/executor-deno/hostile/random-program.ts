import { catalogue } from './catalogue.ts';
import type { HostileProgram } from './hostile-program.ts';
import { patches } from './programs/patched-prototypes.ts';
import { createRandom, type Random } from './random.ts';
import { functionOf } from './toolkit.ts';

const acts = catalogue.flatMap(({ expression }) => (expression === undefined ? [] : [expression]));

/** Other ways to write a path. */
const paths: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `('/proc/self/root' + ${path})`,
  (path) => `('/proc/thread-self/root' + ${path})`,
  (path) => `('/proc/self/cwd' + ${path})`,
  (path) => `('/' + ${path})`,
  (path) => `('/dev/fd/../../..' + ${path})`,
  (path) => `('/dev/./..' + ${path})`,
  (path) => `new URL('file://' + ${path})`,
  (path) => `(${path} + '/../' + ${path}.split('/').pop())`,
  (path) => `${path}.normalize('NFD')`,
  (path) => `[...${path}].join('')`,
  (path) => `{ toString: () => ${path} }`,
  (path) => `new TextEncoder().encode(${path})`,
];

/** When something is done: each takes a statement, and gives one. */
const moments: readonly ((act: string) => string)[] = [
  (act) => act,
  (act) => `await Promise.resolve().then(async () => { ${act} });`,
  (act) => `await new Promise((resolve) => setTimeout(async () => { ${act} resolve(); }, 0));`,
  (act) => `await { then(resolve) { (async () => { ${act} resolve(); })(); } };`,
  (act) => `for await (const _ of (async function* () { ${act} yield 1; })());`,
  (act) => `try { throw 1; } catch { ${act} }`,
  (act) => `try {} finally { ${act} }`,
  (act) =>
    `await new Promise((resolve) => { const target = new EventTarget(); target.addEventListener('x', async () => { ${act} resolve(); }); target.dispatchEvent(new Event('x')); });`,
  (act) => `await new ReadableStream({ async start(controller) { ${act} controller.close(); } }).getReader().read();`,
  (act) => `await Promise.all(Array.from({ length: 3 }, async () => { ${act} }));`,
  (act) => `await Reflect.construct(class { constructor() { return (async () => { ${act} })(); } }, []);`,
  (act) => `void (async () => { ${act} })();`,
  (act) => `late.push(async () => { ${act} });`,
];

/** How it ends. */
const endings: readonly string[] = [
  `return { results };`,
  `return { results };`,
  `return { results };`,
  `return { get results() { for (const act of late) void act(); return results; } };`,
  `return { toJSON: () => ({ results }) };`,
  `return new Proxy({ results }, {});`,
  `return { then: (resolve) => resolve({ results }) };`,
  `throw new Error(JSON.stringify(results));`,
  `throw Object.assign(new Error('x'), { stack: JSON.stringify(results) });`,
  `console.log(results); return {};`,
  `console.error(JSON.stringify(results)); for (;;);`,
  `setInterval(() => late.forEach((act) => act()), 1); return { results };`,
  `await context.ai.generate({ results }); return {};`,
  `await new Promise(() => {});`,
];

/** A program that is put together by chance; the same one for the same seed. */
export function randomProgram(seed: number): HostileProgram {
  const random = createRandom(seed);
  const statements = [
    ...several(random, 2, () => `${random.pick(Object.values(patches))}`),
    ...several(random, 4, () => statementOf(random)),
    statementOf(random),
  ];
  const body = `const results = []; const late = []; ${statements.join('\n')}\n${random.pick(endings)}`;
  return {
    category: 'random',
    name: `seed ${seed}`,
    code: functionOf(body),
    expected: { anything: true },
    wallMs: 1500,
  };
}

function several(random: Random, most: number, make: () => string): readonly string[] {
  return Array.from({ length: random.below(most + 1) }, make);
}

function statementOf(random: Random): string {
  const expression = random
    .pick(acts)
    .replaceAll(/(?<![\w.])canary\.(?:private|shared|home|json)\b/gu, (path) => random.pick(paths)(path));
  const block = expression.startsWith('{') ? expression : `(${expression})`;
  return random.pick(moments)(`results.push(await attempt(async () => ${block}));`);
}
