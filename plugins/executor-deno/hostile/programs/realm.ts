import { attempts, bodies, either, got, refused, sources } from '../program-rows.ts';

const nothing = either(got(null), refused('TypeError|ReferenceError|SyntaxError|EvalError'));

export const realm = [
  ...attempts(
    'realm',
    nothing,
    {
      'the Function constructor reaches the bootstrap': `new Function('return typeof channel === "undefined" ? null : channel')()`,
      'the Function constructor of a host function': `console.log.constructor('return typeof Deno === "undefined" || Deno === globalThis.Deno ? null : Deno')()`,
      'the constructor of an async function': `(async () => {}).constructor('return typeof slot === "undefined" ? null : slot')()`,
      'the constructor of a generator': `(function* () {}).constructor('return typeof connection === "undefined" ? null : connection')().next().value`,
      'eval in the scope of the bootstrap': `(0, eval)('typeof settle === "undefined" ? null : settle')`,
      'the constructor of the context': `context.constructor.constructor('return typeof context === "undefined" ? null : context')()`,
      'the constructor of the log': `context.log.info.constructor('return this.connection ?? null')()`,
      'the prototype of the context is that of the own realm': `Object.getPrototypeOf(context) === Object.prototype ? null : 'another realm'`,
      'the prototype of the input is that of the own realm': `Object.getPrototypeOf(canary) === Object.prototype ? null : 'another realm'`,
      'what the context holds beside its names': `Reflect.ownKeys(context).join() === 'executionId,log,ai,functions,tools,fetch,secrets,signal' ? null : Reflect.ownKeys(context)`,
      'what the log holds beside its names': `Reflect.ownKeys(context.log).join() === 'debug,info,warn,error' ? null : Reflect.ownKeys(context.log)`,
      'the source text of the log': `/channel|connection|socket/.test(String(context.log.info)) ? String(context.log.info) : null`,
      'arguments.callee.caller of the function': `(function () { return arguments.callee.caller; })()`,
      'sloppy this': `(function () { return this === undefined ? null : this.Deno ?? null; })()`,
      'with statements': `new Function('with (globalThis) { return typeof channel === "undefined" ? null : channel; }')()`,
      'symbols of the global object': `Object.getOwnPropertySymbols(globalThis).map((symbol) => globalThis[symbol]).find((value) => typeof value === 'object' && value !== null && 'core' in value) ?? null`,
      'the prototype chain of the global object': `{ for (let o = globalThis; o; o = Object.getPrototypeOf(o)) for (const key of Reflect.ownKeys(o)) if (/internal|bootstrap|ops$/i.test(String(key))) return String(key); return null; }`,
      'getters of the prototypes of the web': `{ for (const name of ['Request', 'Response', 'Blob', 'Event', 'ReadableStream', 'AbortSignal']) for (const key of Object.getOwnPropertySymbols(globalThis[name].prototype)) { const found = Object.getOwnPropertyDescriptor(globalThis[name].prototype, key); if (typeof found.value === 'object' && found.value !== null && 'core' in found.value) return name; } return null; }`,
      'errors of the host have the prototype of the realm': `{ try { new URL('x'); } catch (error) { return error instanceof TypeError ? null : 'another realm'; } }`,
      'an error of the engine with a prepared stack shows no function of the bootstrap': `{ Error.prepareStackTrace = (_, sites) => sites.map((site) => [site.getFunctionName(), site.getFunction() === undefined]); const stack = new Error().stack; return stack.every(([, hidden]) => hidden) ? null : stack; }`,
      'the environment of the function has no names of the bootstrap': `['settle', 'fail', 'run', 'channel', 'input', 'listen', 'EMPTY', 'url'].filter((name) => (0, eval)('typeof ' + name) !== 'undefined').length === 0 ? null : 'names'`,
      'a proxy as the prototype of the global object': `{ try { Object.setPrototypeOf(globalThis, new Proxy({}, { get(_, name) { throw new Error(String(name)); } })); } catch {} return null; }`,
      'a cross realm array from a clone': `structuredClone([]).constructor === Array ? null : 'another realm'`,
    },
    { expectedWithGlobals: { anything: true } },
  ),

  ...bodies(
    'realm',
    { output: { polluted: null } },
    {
      'an input with __proto__': `return { polluted: ({}).polluted ?? null };`,
      'an input merged into an object': `const merge = (to, from) => { for (const key in from) if (typeof from[key] === 'object') merge((to[key] ??= {}), from[key]); else to[key] = from[key]; }; try { merge({}, JSON.parse('{"constructor":{"prototype":{"unrelated":1}}}')); } catch {} return { polluted: ({}).polluted ?? null };`,
    },
    { input: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') },
  ),

  ...sources(
    'source',
    { fault: 'unsupported_syntax' },
    {
      'a decorator that runs while it is saved': `@(() => { for (;;); }) class X {}\nexport default (): object => ({});`,
      'an export assignment': `export = (): object => ({});`,
    },
  ),
  ...sources(
    'source',
    { fault: 'no_function' },
    {
      'no function at all': `const x = 1;`,
      'a class as the function': `export default class { constructor() { for (;;); } }`,
      'an object as the function': `export default { async fetch() {} };`,
    },
  ),
  ...sources(
    'source',
    { fault: 'syntax' },
    {
      'code that is no code': `}{`,
      'a regular expression that the engine refuses': `export default () => ({ x: /(?<a>x)(?<a>y)/ });`,
      'a with statement': `with (globalThis) {}\nexport default () => ({});`,
      'an octal number': `export default () => ({ x: 017 });`,
      markup: `export default () => <script/>;`,
      'a top level return': `return { forged: true };`,
      'html comments': `<!-- x\nexport default () => ({});`,
      'a hidden end of the module': `export default () => ({}); } export { x as default };`,
      'ten thousand brackets': `export default () => (${'['.repeat(10_000)});`,
    },
  ),
  ...sources(
    'source',
    { fault: 'too_large' },
    {
      'more code than allowed': `export default () => ({});\n//${'x'.repeat(262_144)}`,
    },
  ),
];
