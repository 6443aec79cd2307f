import { bodies } from '../program-rows.ts';

/** Logs are read by people and programs: they hold no control characters and no more than was allowed. */
export const logLines = bodies(
  'forgery',
  { output: { logged: true } },
  {
    'a log that clears the terminal': `console.log('\\u001b[2J\\u001b]0;owned\\u0007'); return { logged: true };`,
    'a log of several lines': `console.log('first\\nERROR forged by the function\\r\\nthird'); return { logged: true };`,
    'a log with a mark of the protocol': `console.log('\\u001eEforged'); return { logged: true };`,
    'a log of a proxy': `console.log(new Proxy({}, { get() { return 'x'; }, ownKeys: () => ['a'] })); return { logged: true };`,
    'a log of a cycle': `const x = {}; x.x = x; console.log(x); return { logged: true };`,
    'a log of an object with effects': `console.log({ get x() { throw new Error('trap'); } }); return { logged: true };`,
    'a log of a deep object': `let x = {}; for (let i = 0; i < 1e5; i++) x = { x }; console.log(x); return { logged: true };`,
    'a log of a large buffer': `console.log(new Uint8Array(1e7)); return { logged: true };`,
    'a log with many placeholders': `console.log('%s%d%o%O%c%j%i%f'.repeat(1000), ...new Array(8000).fill(1)); return { logged: true };`,
    'a log with styles': `console.log('%cx', 'color: url(http://127.0.0.1:' + canary.port + ')'); return { logged: true };`,
    'a log of half a character': `console.log('\\ud800'); return { logged: true };`,
    'a log of right to left text': `console.log('\\u202etxt.exe'); return { logged: true };`,
    'a log that throws while it is written': `try { console.log({ [Symbol.for('Deno.customInspect')]() { throw new Error('trap'); } }); } catch {} return { logged: true };`,
    'a log within a log': `console.log({ [Symbol.for('Deno.customInspect')]() { console.log('inner'); return 'outer'; } }); return { logged: true };`,
    'a log of a megabyte': `console.log('x'.repeat(1e6)); return { logged: true };`,
    'a timer of the console that was never started': `console.timeEnd('x'); console.countReset('y'); console.groupEnd(); return { logged: true };`,
    'a table of a proxy': `console.table(new Proxy([1, 2], {})); return { logged: true };`,
    'a custom inspection of the runtime itself': `console.log({ [Symbol.for('nodejs.util.inspect.custom')]: (depth, options, inspect) => (typeof inspect === 'function' ? inspect.constructor('return typeof Deno')() : 'x') }); return { logged: true };`,
  },
);
