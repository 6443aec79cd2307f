import type { ProgramSource } from '@patchbay/contracts/executor';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import { createApp } from '../../app/create-app.ts';
import { addFunction, type Behaviour, callerContext, createCallingApp } from '../host-calls/fixtures/calling-app.ts';

type Call = Parameters<Behaviour>[1];

const apps: App[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.host.stop(0)));
});

/** An app in which a program does what the test says, and the function `one` returns its name. */
async function createCodeApp(program: (call: Call) => Promise<unknown> = async () => 1) {
  const seen: ProgramSource[] = [];
  const behaviours: Readonly<Record<string, Behaviour>> = {
    program: async (_input, call) => ({ value: await program(call) }),
    one: async () => ({ name: 'one' }),
  };
  const app = await createCallingApp(behaviours, {}, async (source) => {
    seen.push(source);
    return { artifact: 'program' };
  });
  apps.push(app);
  return { app, codeMode: app.services.codeMode, seen };
}

const codeOf = (error: { readonly code?: unknown }) => error.code;

describe('code mode', () => {
  it('gives a program functions and no other host call', async () => {
    const { app, codeMode } = await createCodeApp(async (call) => [
      await call('functions.call', { function: 'one', input: {} }),
      await call('ai.generate', { prompt: 'a' }).catch(codeOf),
      await call('fetch', { url: 'https://a.test/' }).catch(codeOf),
      await call('tools.call', { server: 'a', tool: 'b', input: {} }).catch(codeOf),
    ]);
    await addFunction(app, 'one');
    const { output, calls } = await codeMode.run('functions.one', callerContext());
    const refused = 'invalid_request';
    expect(output).toEqual({ value: [{ name: 'one' }, refused, refused, refused] });
    expect(calls).toMatchObject([{ function: 'one' }]);
  });

  it('reaches no function of another tenant, by name or by id', async () => {
    let names: readonly string[] = [];
    const { app, codeMode } = await createCodeApp((call) =>
      Promise.all(names.map((name) => call('functions.call', { function: name, input: {} }).catch(codeOf))),
    );
    const foreign = await addFunction(app, 'secret ledger', 'a', 'b');
    const own = callerContext('a');
    names = ['secretLedger', 'secret ledger', foreign];
    expect((await codeMode.run('return 1', own)).output).toEqual({ value: names.map(() => 'function_not_found') });
    expect(await codeMode.search('secret ledger', own)).toEqual([]);
    for (const name of names) {
      await expect(codeMode.describe([name], own)).rejects.toMatchObject({ code: 'function_not_found' });
    }
    expect(await codeMode.search('secret ledger', callerContext('b'))).toHaveLength(1);
  });

  it('declares the functions that a program mentions, and the one nearest to a misspelt name', async () => {
    const { app, codeMode, seen } = await createCodeApp();
    for (const name of ['listOrders', 'two words', 'other']) await addFunction(app, name);
    await codeMode.run(`functions.listOrder(); functions["two words"]();`, callerContext());
    const { declarations = '' } = seen[0] ?? {};
    expect([...declarations.matchAll(/^ {2}(\S+)\(/gm)].map(([, name]) => name)).toEqual(['listOrders']);
    await codeMode.run('functions.twoWords()', callerContext());
    expect(seen[1]?.declarations).toContain('twoWords(input');
    for (const name of ['a, b', 'A B']) await addFunction(app, name);
    await codeMode.run(`functions["a, b"](); functions['A B']({});`, callerContext());
    expect(seen[2]?.declarations).toMatch(/"a, b"\(input.*"A B"\(input/s);
  });

  it('limits how many functions can be described or mentioned', async () => {
    const { app, codeMode } = await createCodeApp();
    const context = callerContext();
    await expect(codeMode.describe(Array(21).fill('a'), context)).rejects.toMatchObject({ code: 'invalid_request' });
    const names = Array.from({ length: 201 }, (_, index) => `f${index}`);
    for (const name of names) await addFunction(app, name);
    await expect(codeMode.run(names.join(' '), context)).rejects.toMatchObject({ code: 'code_invalid' });
    expect(await codeMode.search(names.join(' '), context)).toHaveLength(20);
  });

  it('is available only with the scope, and with an executor for programs', async () => {
    const { codeMode } = await createCodeApp();
    const without = callerContext('a', ['functions:execute']);
    expect([codeMode.isFor(callerContext()), codeMode.isFor(without)]).toEqual([true, false]);
    for (const attempt of [codeMode.run('1', without), codeMode.search('a', without), codeMode.describe([], without)]) {
      await expect(attempt).rejects.toMatchObject({ code: 'insufficient_scope' });
    }
    const bare = await createApp({ patchbay: 1 });
    apps.push(bare);
    expect(bare.services.codeMode.isFor(callerContext())).toBe(false);
    const run = bare.services.codeMode.run('return 1', callerContext());
    await expect(run).rejects.toMatchObject({ code: 'executor_unavailable' });
  });
});
