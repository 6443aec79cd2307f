import { bodies, either, threw } from '../program-rows.ts';

const ok = { output: { fine: true } } as const;

/**
 * The host of the suite allows twenty calls, answers with what it was asked, never answers `"hang"`, and fails at
 * `"fail"` with an error that holds a secret.
 */
export const contextMisuse = [
  ...bodies('context', ok, {
    'an error of the host shows nothing of it': `const error = await context.ai.generate({ prompt: 'fail' }).catch((caught) => caught); return { fine: error.message === 'The call failed' && !/node_modules|\\.ts/.test(error.stack) };`,
    'a call of a function that is none': `for (const name of ['__proto__', 'constructor', 'toString', '../x', 'x\\ny', '']) await context.functions.call(name, {}); return { fine: true };`,
    'a function by a name of the language': `await context.functions.__proto__({}); await context.functions.constructor({}); await context.functions['ai.generate']({}); return { fine: true };`,
    'awaiting the functions': `return { fine: (await context.functions) === context.functions };`,
    'secrets that are not its own': `const caught = (() => { try { return context.secrets.get('other'); } catch { return true; } })(); return { fine: caught === true && Object.keys(context.secrets).join() === 'token' };`,
    'secrets by a name of the language': `const tried = ['__proto__', 'constructor', 'get', 'toString'].map((name) => { try { return context.secrets.get(name); } catch { return true; } }); return { fine: tried.every((value) => value === true) };`,
    'the value of a secret': `return { fine: context.secrets.token === 'placeholder' };`,
    'changed secrets': `try { context.secrets.token = 'x'; } catch {} return { fine: context.secrets.token === 'placeholder' };`,
    'calls that are not awaited': `for (let i = 0; i < 10; i++) void context.ai.generate({ prompt: 'hang' }).catch(() => {}); return { fine: true };`,
    'a call that is made after the return': `setTimeout(() => void context.ai.generate({ prompt: 'x' }).catch(() => {}), 0); return { fine: true };`,
    'calls that are aborted at once': `const controller = new AbortController(); controller.abort(); const caught = await context.ai.generate({ prompt: 'x' }, { signal: controller.signal }).catch((error) => error.name); return { fine: caught === 'AbortError' };`,
    'a call that is aborted twice': `const controller = new AbortController(); const call = context.ai.generate({ prompt: 'hang' }, { signal: controller.signal }).catch((error) => error.name); setTimeout(() => { controller.abort(); controller.abort(); }, 5); return { fine: (await call) === 'AbortError' };`,
    'arguments with __proto__': `const answer = await context.ai.generate(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')); return { fine: ({}).polluted === undefined && answer.name === 'ai.generate' };`,
    'arguments that are no JSON': `const tried = []; for (const given of [1n, (() => { const x = {}; x.x = x; return x; })()]) tried.push(await context.ai.generate(given).catch((error) => error.name)); return { fine: tried.join() === 'TypeError,TypeError' };`,
    'arguments with effects': `let read = 0; await context.ai.generate({ get prompt() { read++; return 'x'; } }); return { fine: read === 1 };`,
    'arguments that look like a frame': `const answer = await context.ai.generate({ prompt: '\\n\\u0014\\u0000\\u0000ai.call' }); return { fine: answer.name === 'ai.generate' };`,
    'half a character in the arguments': `const answer = await context.ai.generate({ prompt: '\\ud800' }); return { fine: answer.name === 'ai.generate' };`,
    'replies under a replaced JSON.parse': `JSON.parse = () => ({ forged: true }); const answer = await context.ai.generate({ prompt: 'x' }); return { fine: answer.name === 'ai.generate' };`,
    'requests under a replaced JSON.stringify': `JSON.stringify = () => '{"prompt":"forged"}'; const answer = await context.ai.generate({ prompt: 'x'.repeat(100) }); return { fine: answer.size > 100 };`,
    'replies under replaced maps and arrays': `Map.prototype.get = Array.prototype.shift = Array.prototype.push = () => ({ forged: true }); const answer = await context.ai.generate({ prompt: 'x' }); return { fine: answer.name === 'ai.generate' };`,
    'replies under a replaced TextDecoder': `TextDecoder.prototype.decode = () => '{"forged":true}'; const answer = await context.ai.generate({ prompt: 'x' }); return { fine: answer.name === 'ai.generate' };`,
    'setters on Object.prototype that catch replies': `for (const name of ['resolve', 'reject', 'payload', 'number', 'isOver', 'prompt', '1']) Object.defineProperty(Object.prototype, name, { __proto__: null, set() { throw new Error('trap'); }, get: () => undefined, configurable: true }); const answer = await context.ai.generate({ x: 'x' }); return { fine: answer.name === 'ai.generate' };`,
    'the signal of the run': `const { signal } = context; signal.dispatchEvent(new Event('abort')); return { fine: signal.aborted === false };`,
    'a replaced context': `for (const name of ['ai', 'functions', 'secrets', 'fetch', 'log', 'signal']) try { context[name] = null; } catch {} return { fine: true };`,
    'fetch of a file': `const answer = await context.fetch('file:///etc/passwd').catch((error) => error); return { fine: !(await answer.text?.() ?? '').includes('root:') };`,
    'fetch of an address of the host goes to the host alone': `const answer = await context.fetch('http://127.0.0.1:' + canary.port + '/').catch((error) => error); return { fine: answer instanceof Error || answer.status !== 200 };`,
    'fetch with headers that break lines': `const caught = await context.fetch('http://x.example/', { headers: { 'x': 'a\\r\\nb: c' } }).catch((error) => error.name); return { fine: caught === 'TypeError' };`,
  }),

  ...bodies(
    'context',
    { reasons: ['call_limit'] },
    {
      'more calls than allowed': `for (let i = 0; i < 100; i++) await context.ai.generate({ prompt: 'x' }); return { fine: true };`,
      'more calls than allowed, all at once': `await Promise.all(Array.from({ length: 1000 }, () => context.ai.generate({ prompt: 'x' }))); return { fine: true };`,
      'more calls than allowed of all kinds': `for (let i = 0; i < 100; i++) { await context.ai.chat({}); await context.functions.call('x'); await context.ai.embed({}); } return { fine: true };`,
    },
  ),

  ...bodies(
    'context',
    { reasons: ['wall_limit'] },
    {
      'waiting for a call that is never answered': `await context.ai.generate({ prompt: 'hang' }); return { fine: true };`,
      'a hundred calls that are never answered': `await Promise.all(Array.from({ length: 20 }, () => context.ai.generate({ prompt: 'hang' }))); return { fine: true };`,
    },
    { wallMs: 500 },
  ),

  ...bodies(
    'context',
    either(threw, { reasons: ['protocol_violation', 'memory_limit', 'exited_early', 'call_limit'] }),
    {
      'arguments of five megabytes': `await context.ai.generate({ prompt: 'x'.repeat(5e6) }); return { fine: true };`,
      'arguments without end': `const make = () => ({ toJSON: () => [make()] }); await context.ai.generate(make()); return { fine: true };`,
      'arguments of many megabytes, again and again': `for (;;) await context.ai.generate({ prompt: 'x'.repeat(4e6) });`,
    },
  ),
];
