import type { HostileProgram } from '../hostile-program.ts';
import { bodies } from '../program-rows.ts';

/** A trace that one run leaves behind, and how another looks for it. It must find `null`. */
const traces: Readonly<Record<string, readonly [leave: string, find: string]>> = {
  'a global variable': [`globalThis.trace = 'x';`, `globalThis.trace`],
  'a global symbol': [`globalThis[Symbol.for('trace')] = 'x';`, `globalThis[Symbol.for('trace')]`],
  'a changed prototype': [`Object.prototype.trace = 'x';`, `({}).trace`],
  'a changed function of the language': [`Array.prototype.map = () => 'x';`, `[1].map((x) => x)[0] === 1 ? null : 'x'`],
  'a changed function of the web': [
    `TextEncoder.prototype.encode = () => 'x';`,
    `new TextEncoder().encode('a')[0] === 97 ? null : 'x'`,
  ],
  'a changed console': [`console.log = () => 'x';`, `console.log('a') ?? null`],
  'a patched JSON that sees the inputs of others': [
    `const { parse } = JSON; JSON.parse = (text) => { globalThis.trace = text; return parse(text); };`,
    `(JSON.parse('{}'), globalThis.trace)`,
  ],
  'a patched Promise that sees the results of others': [
    `const { then } = Promise.prototype; Promise.prototype.then = function (...all) { globalThis.trace = 'x'; return then.apply(this, all); };`,
    `(await Promise.resolve().then(() => {}), globalThis.trace)`,
  ],
  'a listener of events': [
    `addEventListener?.call(globalThis, 'x', () => { globalThis.trace = 'x'; });`.replace(
      'addEventListener?.call(',
      'EventTarget.prototype.addEventListener.call(',
    ),
    `(EventTarget.prototype.dispatchEvent.call(globalThis, new Event('x')), globalThis.trace)`,
  ],
  'an interval that goes on': [
    `setInterval(() => { globalThis.trace = 'x'; }, 1);`,
    `await new Promise((resolve) => setTimeout(() => resolve(globalThis.trace), 30))`,
  ],
  'a timer for the next run': [
    `setTimeout(() => { globalThis.trace = 'x'; }, 20);`,
    `await new Promise((resolve) => setTimeout(() => resolve(globalThis.trace), 50))`,
  ],
  'a microtask that goes on': [
    `const again = () => { globalThis.trace = 'x'; setTimeout(again, 0); }; again();`,
    `globalThis.trace`,
  ],
  'a module that is loaded once': [
    `const module = await load('data:text/javascript,export const kept = []'); module.kept.push('x');`,
    `(await load('data:text/javascript,export const kept = []')).kept[0]`,
  ],
  'a built-in module that is patched': [`(await node('fs')).trace = 'x';`, `(await node('fs')).trace`],
  'a cached module of require': [`(await node('module'))._cache.trace = 'x';`, `(await node('module'))._cache.trace`],
  'hooks of modules': [
    `(await node('module')).registerHooks({ load: (url, context, next) => (url.includes('/*trace*/') ? { format: 'module', source: 'export default "x"', shortCircuit: true } : next(url, context)) });`,
    `(await load('data:text/javascript,/*trace*/export default null')).default`,
  ],
  localStorage: [
    `try { localStorage.setItem('trace', 'x'); } catch {}`,
    `(() => { try { return localStorage.getItem('trace'); } catch { return null; } })()`,
  ],
  sessionStorage: [
    `try { sessionStorage.setItem('trace', 'x'); } catch {}`,
    `(() => { try { return sessionStorage.getItem('trace'); } catch { return null; } })()`,
  ],
  'the cache of responses': [
    `try { await (await caches.open('trace')).put('https://x.example/', new Response('x')); } catch {}`,
    `await (async () => { try { return await (await (await caches.open('trace')).match('https://x.example/'))?.text(); } catch { return null; } })()`,
  ],
  'a store of keys and values': [
    `try { await (await Deno.openKv()).set(['trace'], 'x'); } catch {}`,
    `await (async () => { try { const { value } = await (await Deno.openKv()).get(['trace']); return typeof value === 'string' ? value : null; } catch { return null; } })()`,
  ],
  'a temporary file': [
    `try { (await node('fs')).writeFileSync('/tmp/patchbay-trace', 'x'); } catch {}`,
    `await (async () => { try { return (await node('fs')).existsSync('/tmp/patchbay-trace') ? 'x' : null; } catch { return null; } })()`,
  ],
  'a database in shared memory': [
    `try { new (await node('sqlite')).DatabaseSync('file:trace?mode=memory&cache=shared').exec('create table x (y)'); } catch {}`,
    `await (async () => { try { return new (await node('sqlite')).DatabaseSync('file:trace?mode=memory&cache=shared').prepare('select count(*) as n from x').get() === undefined ? null : 'x'; } catch { return null; } })()`,
  ],
  'a variable of the environment': [
    `try { (await node('process')).env.TRACE = 'x'; } catch {}`,
    `await (async () => { try { const { TRACE } = (await node('process')).env; return typeof TRACE === 'string' && TRACE !== 'x' + standIn ? TRACE : null; } catch { return null; } })()`,
  ],
  'the title of the process': [
    `try { (await node('process')).title = 'trace'; } catch {}`,
    `await (async () => { try { return (await node('process')).title === 'trace' ? 'x' : null; } catch { return null; } })()`,
  ],
  'a registered symbol as a key': [`Array[Symbol.for('trace')] = 'x';`, `Array[Symbol.for('trace')]`],
  'a lock': [
    `try { void navigator.locks.request('trace', () => new Promise(() => {})); } catch {}`,
    `await (async () => { try { return (await navigator.locks.query()).held.length > 0 ? 'x' : null; } catch { return null; } })()`,
  ],
  'a channel between runs': [
    `try { const channel = new BroadcastChannel('trace'); setInterval(() => channel.postMessage('x'), 1); } catch {}`,
    `await new Promise((resolve) => { setTimeout(resolve, 50, null); try { new BroadcastChannel('trace').onmessage = () => resolve('x'); } catch {} })`,
  ],
  'object URLs': [`globalThis.trace = URL.createObjectURL(new Blob(['x']));`, `globalThis.trace`],
  'a context that is kept': [`globalThis.trace = context;`, `globalThis.trace?.executionId`],
  'shared memory that is kept': [`globalThis.trace = new SharedArrayBuffer(8);`, `globalThis.trace`],
  'a prepared stack trace': [`Error.prepareStackTrace = () => 'x';`, `new Error().stack === 'x' ? 'x' : null`],
  'limits of stack traces': [`Error.stackTraceLimit = 0;`, `Error.stackTraceLimit === 0 ? 'x' : null`],
  'half an answer': [`(await node('fs')).writeSync(1, '\\u001eIhalf');`, `null`],
  'flags of the engine': [`try { (await node('v8')).setFlagsFromString('--no-opt'); } catch {}`, `null`],
};

/** The function leaves a trace on demand, and otherwise looks for one, for another tenant. */
export const persistence: readonly HostileProgram[] = Object.entries(traces).flatMap(([name, [leave, look]]) => {
  const body = `if (input.leave) { ${leave} return { left: true }; } return { found: (${look}) ?? null };`;
  const leaving = bodies('persistence', { output: { left: true } }, { [name]: body }, { input: { leave: true } });
  const [looking] = bodies('persistence', { output: { found: null } }, { [`${name}, afterwards`]: body });
  return leaving.map((program) => ({ ...program, ...(looking === undefined ? {} : { next: looking }) }));
});
