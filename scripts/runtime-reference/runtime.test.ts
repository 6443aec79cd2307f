import { fileURLToPath } from 'node:url';
import { PatchbayError } from '@patchbay/core';
import type { HostCalls } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DenoExecutor } from '../../plugins/executor-deno/src/deno-executor.ts';
import { executorOptions, silent } from '../../plugins/executor-deno/src/fixtures/executor-options.ts';
import { builtIns } from '../../plugins/executor-deno/src/translate/built-ins.ts';
import { type RuntimeItem, refusedModules, runtimeSections, runtimeSources } from './runtime-items.ts';
import { type Attempt, runtimePage } from './runtime-page.ts';

const object = { type: 'object' } as const;

/** Answers every request with an empty response. */
const host: HostCalls = {
  maxCalls: 100,
  secrets: { KEY: 'placeholder' },
  call: async () =>
    JSON.stringify({
      url: 'https://api.example/',
      redirected: false,
      status: 200,
      statusText: '',
      headers: [],
      body: '',
    }),
};

/** A function that tries each example. */
function attempting(items: readonly RuntimeItem[]): string {
  const attempts = items.map(({ example }) => `await attempt(async () => (${example}))`);
  return `
    const attempt = async (act) => {
      try { return { value: JSON.stringify(await act()) }; } catch (error) { return { error: String(error.name) }; }
    };
    export default async (_, context) => ({
      results: [${attempts.join(',\n')}],
      globals: Object.getOwnPropertyNames(globalThis).sort(),
    });`;
}

describe('docs/reference/runtime.md', () => {
  const executor = new DenoExecutor({ ...executorOptions, spares: 1 }, silent);
  beforeAll(() => executor.start(AbortSignal.timeout(60_000)));
  afterAll(() => executor.stop());

  /** The artifact of a source, or the code of its first fault. */
  async function save(
    code: string,
    module?: string,
  ): Promise<{ readonly artifact: string } | { readonly fault: string }> {
    const bundle = module === undefined ? {} : { bundle: { module, mappings: '', source: 0, packages: [] } };
    try {
      return await executor.prepare({ code, input: object, output: object, ...bundle }, testContext());
    } catch (error) {
      if (!PatchbayError.is(error) || error.code !== 'code_invalid') throw error;
      return { fault: error.errors[0]?.code ?? '' };
    }
  }

  async function outputOf(code: string, module?: string): Promise<unknown> {
    const saved = await save(code, module);
    if (!('artifact' in saved)) throw new Error(saved.fault);
    const { artifact } = saved;
    const limits = { wallMs: 30_000, outputBytes: 1_000_000, logBytes: 10_000 };
    const ids = { executionId: 'execution_1', functionId: `function_${artifact.length}`, functionVersion: 1 };
    const outcome = await executor.execute({ ...ids, artifact, input: '{}', limits, host }, testContext());
    if (outcome.status !== 'completed') throw new Error(outcome.error.message);
    return JSON.parse(outcome.output);
  }

  it('matches what the sandbox does with each example', async () => {
    const { results, globals } = (await outputOf(attempting(runtimeSections.flatMap(({ items }) => items)))) as {
      readonly results: readonly Pick<Attempt, 'value' | 'error'>[];
      readonly globals: readonly string[];
    };
    let next = 0;
    const sections = runtimeSections.map((section) => ({
      ...section,
      items: section.items.map((item) => ({ ...item, ...results[next++] })),
    }));
    const sources: Attempt[] = [];
    for (const item of runtimeSources) {
      const result = await save(item.example);
      sources.push({ ...item, ...('fault' in result ? { error: result.fault } : { value: 'saved' }) });
    }
    const otherModules: string[] = [];
    for (const name of refusedModules) {
      const importing = `import ${JSON.stringify(name)};\nexport default () => ({});`;
      if ('fault' in (await save('export default () => ({});', importing))) otherModules.push(name);
    }
    expect(otherModules).toEqual(refusedModules);
    const imports = builtIns.map((name, index) => `import * as module${index} from ${JSON.stringify(name)};`);
    const members = builtIns.map((_, index) => `Object.keys(module${index}).length > 0`);
    const module = `${imports.join('\n')}\nexport default () => ({ loaded: [${members.join(', ')}] });`;
    expect(await outputOf('export default () => ({});', module)).toEqual({ loaded: builtIns.map(() => true) });
    const modules = builtIns;
    const file = fileURLToPath(new URL('../../docs/reference/runtime.md', import.meta.url));
    await expect(runtimePage({ sections, sources, modules, otherModules, globals })).toMatchFileSnapshot(file);
  });
});
