import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OptionSchema } from '../contracts/config-schema.ts';
import { appConfigSchema } from './app-config-schema.ts';

// The formatter pads the cells of tables.
const page = readFileSync(new URL('../../../../docs/reference/config.md', import.meta.url), 'utf8').replaceAll(
  / {2,}/g,
  ' ',
);

/** Every option that is no mount, as `name type default`. */
function options(properties: Readonly<Record<string, OptionSchema>>, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, option]) => {
    const isMount = 'use' in (option.properties ?? {}) || name === 'providers' || name === 'authenticators';
    if (isMount || name === 'patchbay') return [];
    if (option.properties) return options(option.properties, `${prefix}${name}.`);
    return [`${prefix}${name} ${option.type} ${JSON.stringify(option.default) ?? ''}`.trim()];
  });
}

describe('docs/reference/config.md', () => {
  it('has a row for every option, with its type and default, and no other', () => {
    const section = page.slice(page.indexOf('## Other options'), page.indexOf('## Filling in values'));
    const rows = [...section.matchAll(/^\| `([\w.]+)` \| (\w+) \| (\S*) ?\|/gm)];
    const documented = rows.map(([, name, type, value]) => `${name} ${type} ${value?.replaceAll('`', '')}`.trim());
    expect(documented.sort()).toEqual(options(appConfigSchema.properties).sort());
  });

  it('names every kind that can be mounted', () => {
    const mounts = Object.entries(appConfigSchema.properties)
      .filter(
        ([name, option]) => name === 'providers' || name === 'authenticators' || 'use' in (option.properties ?? {}),
      )
      .map(([name]) => name);
    expect(mounts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
