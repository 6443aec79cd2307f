import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appConfigSchema } from './app-config.ts';

// The formatter pads the cells of tables.
const page = readFileSync(new URL('../../../../docs/reference/config.md', import.meta.url), 'utf8').replaceAll(
  / {2,}/g,
  ' ',
);

describe('docs/reference/config.md', () => {
  it('names every kind that can be mounted', () => {
    const mounts = Object.entries(appConfigSchema.properties)
      .filter(
        ([name, option]) => name === 'providers' || name === 'authenticators' || 'use' in (option.properties ?? {}),
      )
      .map(([name]) => name);
    expect(mounts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
