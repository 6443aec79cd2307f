import { definePlugin, PatchbayError } from '@patchbay/core/plugin';
import type { Examples } from '../example.ts';
import type { ExampleServer } from '../example-server.ts';

/** A server of tools whose only tool finds no page, and one that is down. */
export const exampleTools = {
  docs: {
    use: definePlugin({
      name: 'tools-of-the-examples',
      kind: 'toolServer',
      version: 1,
      config: { properties: {} },
      create: () => ({
        tools: async () => pages,
        call: async () => ({ text: 'there is no page "/moved"', isError: true }),
      }),
    }),
  },
  wiki: {
    use: definePlugin({
      name: 'tools-that-are-down',
      kind: 'toolServer',
      version: 1,
      config: { properties: {} },
      create: () => {
        const down = async (): Promise<never> => {
          throw new PatchbayError('tool_unavailable', 'the server cannot be reached', { retryAfter: 1 });
        };
        return { tools: down, call: down };
      },
    }),
  },
};

const pages = [{ name: 'read', input: { type: 'object', properties: { page: { type: 'string' } } } }];

/** Chats with tools that do not exist. */
export async function toolExamples(server: ExampleServer): Promise<Examples> {
  const chatWith = async (tool: string) => {
    const body = { messages: [{ role: 'user', content: 'What is a patch bay?' }], tools: [tool], toolLoop: {} };
    return await server.refused('POST', '/chat', { body });
  };
  return { tool_not_found: await chatWith('docs.raed'), tool_unavailable: await chatWith('wiki.search') };
}
