import { readFileSync } from 'node:fs';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from './deno-executor.ts';
import { executorOptions, silent } from './fixtures/executor-options.ts';

const pages = ['../../../docs/guide/functions.md', '../README.md'];

/** The functions that a page shows; those that import need packages which are not installed here. */
const functionsOf = (page: string): readonly string[] =>
  [...readFileSync(new URL(page, import.meta.url), 'utf8').matchAll(/^```(?:js|typescript)\n(.*?)^```$/gmsu)]
    .map(([, code = '']) => code)
    .filter((code) => !/^import /mu.test(code));

describe('the functions in the documentation', () => {
  let executor: DenoExecutor;
  beforeAll(() => {
    executor = new DenoExecutor(executorOptions, silent);
  });
  afterAll(() => executor.stop());

  it.each(pages)('the functions of %s can be saved', async (page) => {
    const functions = functionsOf(page);
    expect(functions.length).toBeGreaterThan(0);
    const object = { type: 'object' } as const;
    const text = { type: 'object', properties: { text: { type: 'string' } } } as const;
    for (const code of functions) {
      await expect(
        executor.prepare({ code, input: object, output: code.includes('yield') ? text : object }, testContext()),
        code,
      ).resolves.toBeDefined();
    }
  });
});
