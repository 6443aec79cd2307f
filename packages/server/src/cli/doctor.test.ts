import { tmpdir } from 'node:os';
import { definePlugin } from '@patchbay/core/plugin';
import { expect, it } from 'vitest';
import { checkExecutor } from './doctor.ts';

const describing = (description: { readonly jail?: string } | undefined) =>
  definePlugin({
    name: 'describing',
    kind: 'executor',
    version: 1,
    config: { properties: {} },
    create: () => ({
      execute: async () => await Promise.reject(new Error('nothing is executed')),
      ...(description && { describe: () => description }),
    }),
  });

it.each([
  ['fails', 'says that it has no jail', { jail: 'none' }, 'fail'],
  ['passes', 'names its jail', { jail: 'microvm' }, 'pass'],
  ['passes', 'does not know its jail', {}, 'pass'],
  ['passes', 'describes nothing', undefined, 'pass'],
])('the check of an executor %s if it %s', async (_, __, description, status) => {
  const app = { patchbay: 1, executor: { use: describing(description) } } as const;
  expect(await checkExecutor({ app, directory: tmpdir() }, {})).toMatchObject({ name: 'executor', status });
});
