import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readSurfaces } from './surface/read-surface.ts';

// Every name that others can import is a promise. The list is kept in a file, so that a review shows each name that is
// added or removed. `vitest run scripts/public-surface -u` updates it.

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = ['core', 'http', 'client', 'testing', 'create-plugin', 'server'].map((name) => `packages/${name}`);
const surfaces = readSurfaces(root, packages);

/** Most names that an entry of the core may export. */
const limits: Readonly<Record<string, number>> = {
  '@patchbay/core': 45,
  '@patchbay/core/plugin': 70,
  // Adapters translate parts of messages one by one: twelve names are types of those, and five read and
  // build them. Five more are for providers that requests are relayed to unread.
  '@patchbay/core/provider': 79,
  '@patchbay/core/storage': 36,
  '@patchbay/core/failure-codes': 1,
  '@patchbay/core/node-version': 1,
};

it('every entry of the core has a limit of names', () => {
  const entries = surfaces.map(({ entry }) => entry).filter((entry) => entry.startsWith('@patchbay/core'));
  expect(entries.sort()).toEqual(Object.keys(limits).sort());
});

describe.each(surfaces)('the surface of $entry', ({ entry, names }) => {
  it('matches the list in the repository', async () => {
    const lines = [`${entry}: ${names.length} names`, '', ...names.map(({ kind, name }) => `${kind} ${name}`), ''];
    const file = `${entry.replace('@patchbay/', '').replace('/', '-')}.txt`;
    await expect(lines.join('\n')).toMatchFileSnapshot(`./surface/${file}`);
  });

  it.runIf(entry in limits)('exports no more names than its limit', () => {
    expect(names.length).toBeLessThanOrEqual(limits[entry] ?? 0);
  });

  it('documents every function with an example', () => {
    const functions = names.filter(({ kind }) => kind === 'function');
    const silent = functions.filter(({ documentation }) => !/\w+ \w+ \w+/.test(documentation));
    expect(silent.map(({ name, file }) => `${name} of ${file} says nothing`)).toEqual([]);
    // That examples compile is checked with the docs.
    const alone = functions.filter(({ hasExample }) => !hasExample);
    expect(alone.map(({ name, file }) => `${name} of ${file} has no example`)).toEqual([]);
  });

  it('names everything in whole words', () => {
    const short = /(^|[a-z])(Req|Res|Ctx|Cfg|Msg|Err|Impl|Util|Helper|Mgr|Opts|Params|Fn)([A-Z]|$)/;
    expect(names.filter(({ name }) => short.test(name)).map(({ name }) => name)).toEqual([]);
  });
});
