import { PatchbayError, type ToolServer } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { toolServerConformance } from './tool-server-conformance.ts';

const tools = [
  { name: 'now', input: { type: 'object' }, output: { type: 'object' } },
  { name: 'sleep', input: { type: 'object' } },
];

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

const sound: ToolServer = {
  tools: async () => tools,
  async call(name, _, { signal }) {
    signal.throwIfAborted();
    if (name === 'now') return { text: '{"at":1}', value: { at: 1 } };
    if (name === 'sleep') return await aborted(signal);
    throw new PatchbayError('tool_failed', 'there is no such tool');
  },
};

const unavailable = async (): Promise<never> => {
  throw new PatchbayError('tool_unavailable', 'the server cannot be reached');
};
const down: ToolServer = { tools: unavailable, call: unavailable, health: async () => ({ status: 'warn' }) };

const over = (server: Partial<ToolServer>, away: Partial<ToolServer> = {}) => ({
  create: () => ({
    server: { ...sound, ...server },
    works: { name: 'now', given: {} },
    hangs: { name: 'sleep', given: {} },
  }),
  createDown: () => ({ ...down, ...away }),
});

toolServerConformance({ describe, it }, over({}));

const broken: readonly (readonly [string, Partial<ToolServer>, Partial<ToolServer>, string])[] = [
  [
    'lists a tool twice',
    { tools: async () => [...tools, ...tools] },
    {},
    'are listed with distinct names and schemas of objects',
  ],
  ['makes a list for each request', { tools: async () => [...tools] }, {}, 'are the same list until it changes'],
  [
    'forgets the value',
    {
      async call(...given) {
        const { text } = await sound.call(...given);
        return { text };
      },
    },
    {},
    'return a text, and a value if they declare an output',
  ],
  [
    'calls anything',
    { call: (name, ...rest) => sound.call(name === 'sleep' ? name : 'now', ...rest) },
    {},
    'that do not exist fail',
  ],
  [
    'fails with its own error when it is cancelled',
    { call: (...given) => sound.call(...given).catch(unavailable) },
    {},
    'end with the signal of their caller, and others are served',
  ],
  [
    'says that it is well while it is down',
    {},
    { health: async () => ({ status: 'pass' }) },
    'of a server that is down are unavailable, and do not hold up its start',
  ],
  [
    'does not start while it is down',
    {},
    { start: unavailable },
    'of a server that is down are unavailable, and do not hold up its start',
  ],
];

describe('the conformance suite of servers of tools', () => {
  it.each(broken)('catches a plugin that %s', async (_, server, away, test) => {
    expect(await failingTests((runner) => toolServerConformance(runner, over(server, away)))).toContain(test);
  });
});
