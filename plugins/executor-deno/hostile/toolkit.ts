/**
 * The prelude of every program: an attacker's means. `import()` is hidden from the parser, and Node's modules,
 * which need a `Deno` to be there, get one that says yes to everything, and does nothing.
 */
export const toolkit = `
const load = (() => {
  try { return new Function('specifier', 'options', 'return import(specifier, options)'); }
  catch (error) { return async () => { throw error; }; }
})();
const standIn = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 'x' : name === Symbol.iterator ? function* () {} : name === 'then' ? undefined : standIn),
  apply: () => standIn, construct: () => standIn, has: () => true,
});
const node = async (name) => {
  globalThis.Deno ??= standIn;
  const module = await load('node:' + name);
  return module.default ?? module;
};
const show = (value) => {
  if (value === undefined || value === null) return null;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value.slice(0, 4000));
  if (typeof value === 'object') {
    try { return JSON.parse(JSON.stringify(value).slice(0, 8000)); } catch { return '' + Object.keys(value); }
  }
  return typeof value === 'boolean' || typeof value === 'number' ? value : String(value).slice(0, 8000);
};
const attempt = async (act) => {
  try { return { got: show(await act()) }; }
  catch (error) { return { refused: typeof error?.code === 'string' ? error.code : String(error?.name ?? error), message: String(error?.message).slice(0, 300) }; }
};
const once = (emitter, event) => new Promise((resolve, reject) => { emitter.on('error', reject); emitter.on(event, resolve); });
const call = (act) => new Promise((resolve, reject) => act((error, value) => (error ? reject(error) : resolve(value))));
const each = async (values, act) => {
  const results = [];
  for (const value of values) results.push(await attempt(() => act(value)));
  return results;
};
const worker = async (text) => {
  const { Worker } = await node('worker_threads');
  const thread = new Worker('const done = (value) => require("node:worker_threads").parentPort.postMessage(value);' + text, { eval: true, env: {}, argv: [], execArgv: [] });
  return await new Promise((resolve, reject) => {
    thread.on('message', resolve);
    thread.on('error', reject);
    thread.on('exit', (code) => resolve({ exit: code }));
  });
};
`
  .trim()
  .replaceAll(/\n\s*/g, ' ');

/** A function whose output is what an expression, or a block that returns, gave, or how it was refused. */
export const attemptOf = (expression: string): string =>
  `${toolkit}\nexport default async ({ canary }, context) => ${attempting(expression)};`;

/** A function that tries one expression after the other. Its output has the list `results`. */
export const attemptsOf = (expressions: readonly string[]): string => {
  const list = expressions.map((expression) => `await ${attempting(expression)}`).join(',\n');
  return `${toolkit}\nexport default async ({ canary }, context) => ({ results: [\n${list}\n] });`;
};

const attempting = (expression: string): string =>
  `attempt(async () => ${expression.startsWith('{') ? expression : `(${expression})`})`;

/** A function with this body, which may use the means as well. */
export const functionOf = (body: string): string =>
  `${toolkit}\nexport default async ({ canary, ...input }, context) => {${body}};`;
