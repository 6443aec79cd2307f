import type { FunctionSource } from '@patchbay/contracts/executor';
import { expect, it } from 'vitest';
import { type ScriptedTool, scriptedTools, search } from '../../tools/fixtures/scripted-tools.ts';
import { callerContext } from '../host-calls/fixtures/calling-app.ts';
import { withToolTypes } from './with-tool-types.ts';

const object = { type: 'object' } as const;

/** The declarations with which code is checked beside the server `docs`. */
async function declarationsFor(code: string, listed: readonly ScriptedTool[]): Promise<string | undefined> {
  const seen: FunctionSource[] = [];
  const executor = withToolTypes(
    {
      async prepare(source) {
        seen.push(source);
        return { artifact: '' };
      },
      execute: () => Promise.reject(new Error('nothing is run')),
    },
    scriptedTools(listed).tools,
  );
  await executor.prepare?.({ code, input: object, output: object }, callerContext());
  return seen[0]?.declarations;
}

const count: ScriptedTool = {
  ...search,
  name: 'count.all',
  input: object,
  output: { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] },
};

it('code is checked against the types of the tools that it mentions', async () => {
  const code = `export default (_, { tools }) => tools.docs.search({ query: 'a' })`;
  expect(await declarationsFor(code, [search, count])).toBe(`interface MountedTools {
  readonly docs: {
  /** docs.search: Finds pages. */
  search(input: {
    query: string;
  }, options?: CallOptions): Promise<string>;
  readonly "count.all": UnknownTool;
  };
}`);
  expect(await declarationsFor(`tools.docs['count.all']()`, [search, count])).toMatch(
    /"count\.all"\(input\?: object, options\?: CallOptions\): Promise<\{\s+pages: number;\s+\}>;/,
  );
});

it.each([
  ['does not mention the server', 'tools.wiki.search()', [search]],
  ['mentions a server that does not respond', 'tools.docs.search()', []],
])('the tools of a server are typed as unknown if the code %s', async (_, code, listed) => {
  expect(await declarationsFor(code, listed)).toBe('interface MountedTools {\n  readonly docs: UnknownTools;\n}');
});
