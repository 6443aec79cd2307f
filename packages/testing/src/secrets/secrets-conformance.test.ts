import { PatchbayError } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { secretsConformance } from './secrets-conformance.ts';

const values: Readonly<Record<string, string>> = { TOKEN: 'an example, and no secret', EMPTY: '' };
const known = { TOKEN: 'an example, and no secret' };

const missing = (name: string, detail = '') => new PatchbayError('config_invalid', `there is no ${name}${detail}`);

const over = (resolve: (name: string) => Promise<string>) => () => ({
  secrets: { resolve },
  known,
  missing: 'OTHER',
});

const sound = async (name: string): Promise<string> => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw missing(name);
  return value;
};

secretsConformance({ describe, it }, { create: over(sound) });

const broken: readonly (readonly [string, (name: string) => Promise<string>, string])[] = [
  ['cuts values', async (name) => (await sound(name)).trim().slice(0, 5), 'resolve to their exact values, repeatedly'],
  [
    'gives nothing for what is missing',
    async (name) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''),
    'that are missing are named',
  ],
  [
    'fails with its own error',
    (name) => sound(name).catch(() => Promise.reject(new Error(`there is no ${name}`))),
    'that are missing are named',
  ],
  [
    'shows what there is',
    (name) => sound(name).catch(() => Promise.reject(missing(name, `, only ${JSON.stringify(values)}`))),
    'stay out of the error for another secret',
  ],
  [
    'asks a plain object',
    async (name) => {
      const value: unknown = values[name];
      if (value === undefined) throw missing(name);
      return value as string;
    },
    'named like members of every object count as missing',
  ],
];

describe('the conformance suite of secrets', () => {
  it.each(broken)('catches a plugin that %s', async (_, resolve, test) => {
    expect(await failingTests((runner) => secretsConformance(runner, { create: over(resolve) }))).toContain(test);
  });
});
