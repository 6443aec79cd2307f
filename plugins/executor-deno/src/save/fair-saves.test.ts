import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from '../deno-executor.ts';
import { executorOptions, silent } from '../fixtures/executor-options.ts';

/** Takes the type checker most of a second, or all that it may have. */
const expensive = (seed: number): string => `
  type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  type Text = \`s${seed}\${Digit}\${Digit}\${Digit}\`;
  type Pairs<T extends string> = T extends \`\${infer A}\${infer B}\` ? { [K in A]: Pairs<B> } | Pairs<B> : never;
  export default (input: { value?: Pairs<Text> }): object => {
    const all: Pairs<Text>[] = [];
    const other: Pairs<\`t\${Text}\`> | undefined = input.value as Pairs<Text> | undefined;
    return { all, other };
  };`;
const trivial = 'export default (input: { readonly n?: number }): object => ({ n: input.n });';

describe('saves of several tenants', { timeout: 120_000 }, () => {
  const executor = new DenoExecutor({ ...executorOptions, spares: 0 }, silent);
  beforeAll(() => executor.start(AbortSignal.timeout(60_000)));
  afterAll(() => executor.stop());

  const save = async (tenant: string, code: string): Promise<string> => {
    const context = testContext();
    const caller = { ...context.caller, tenant: tenant as typeof context.caller.tenant };
    return await executor.prepare({ code, input: {}, output: {} }, { ...context, caller }).then(
      () => 'saved',
      (error: { readonly code?: string }) => error.code ?? 'failed',
    );
  };

  it('expensive saves of one tenant delay another by one at most', async () => {
    const ended: string[] = [];
    const save20 = Array.from({ length: 20 }, async (_, index) => {
      const result = await save('greedy', expensive(index));

      ended.push(`greedy ${result}`);
    });
    expect(await save('modest', trivial)).toBe('saved');
    expect(ended.length).toBeLessThanOrEqual(1);
    expect(await save('modest', trivial)).toBe('saved');
    await executor.stop();
    await Promise.all(save20);
  });
});
