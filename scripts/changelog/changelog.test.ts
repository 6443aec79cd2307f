import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { changelog, readChangeset } from './changelog.ts';

// `vitest run scripts/changelog -u` writes CHANGELOG.md again.

const root = fileURLToPath(new URL('../../', import.meta.url));

it('CHANGELOG.md has every changeset', async () => {
  const folder = `${root}.changeset`;
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  const changesets = files.map((file) => readChangeset(file, readFileSync(`${folder}/${file}`, 'utf8')));
  expect(changesets.length).toBeGreaterThan(0);
  await expect(changelog(changesets)).toMatchFileSnapshot(`${root}CHANGELOG.md`);
});

describe('a changelog', () => {
  const file = (bump: string, text: string) =>
    `---\n"@patchbay/core": ${bump}\n'@patchbay/server': patch\n---\n\n${text}\n`;

  it('lists breaking changes, features and fixes, each with its packages', () => {
    const changesets = [
      readChangeset('b.md', file('minor', 'Adds a thing.\nOn two lines.')),
      readChangeset('a.md', file('minor', 'Adds another.')),
      readChangeset('c.md', file('patch', 'Repairs one.')),
    ];
    expect(changelog(changesets)).toBe(`# Changelog

## Unreleased

### Features

- **core, server**: Adds another.
- **core, server**: Adds a thing.
  On two lines.

### Fixes

- **core, server**: Repairs one.
`);
  });

  it.each([
    ['no head', 'A text.'],
    ['no text', file('minor', '')],
    ['an unknown bump', file('huge', 'A text.')],
  ])('refuses a file with %s', (_, text) => {
    expect(() => readChangeset('a.md', text)).toThrow('a.md is not a changeset');
  });
});
