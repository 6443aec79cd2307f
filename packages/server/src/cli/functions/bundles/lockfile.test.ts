import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findLockfile } from './lockfile.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockfile-'));
afterAll(() => rmSync(folder, { recursive: true }));

const npm = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { name: 'project', version: '1.0.0' },
    'node_modules/zod': { version: '4.6.7', integrity: 'sha512-zod==' },
    'node_modules/@scope/name': { version: '1.0.0', integrity: 'sha512-scoped==' },
    'node_modules/a/node_modules/zod': { version: '3.25.0', integrity: 'sha512-old==' },
    'node_modules/renamed': { name: 'original', version: '2.0.0', integrity: 'sha512-original==' },
    'node_modules/linked': { link: true, resolved: 'packages/linked' },
  },
});
const pnpm = `lockfileVersion: '9.0'

packages:

  '@scope/name@1.0.0':
    resolution: {integrity: sha512-scoped==}

  original@2.0.0:
    resolution: {integrity: sha512-original==}
    engines: {node: '>=20'}

  zod@3.25.0:
    resolution: {integrity: sha512-old==}

  zod@4.6.7:
    resolution: {integrity: sha512-zod==}

snapshots:

  zod@4.6.7: {}
`;
const yarn = `# yarn lockfile v1


"@scope/name@^1.0.0":
  version "1.0.0"
  resolved "https://registry.example/name-1.0.0.tgz#abc"
  integrity sha512-scoped==

original@2.0.0, original@^2.0.0:
  version "2.0.0"
  integrity sha512-original==
  dependencies:
    zod "^3"

zod@^3:
  version "3.25.0"
  integrity sha512-old==

zod@^4.0.0:
  version "4.6.7"
  integrity sha512-zod==
`;
const bun = `{
  "lockfileVersion": 1,
  "packages": {
    "@scope/name": ["@scope/name@1.0.0", "", { "dependencies": { "zod": "^4" } }, "sha512-scoped=="],

    "original": ["original@2.0.0", "", {}, "sha512-original=="],

    "zod": ["zod@4.6.7", "", {}, "sha512-zod=="],

    "a/zod": ["zod@3.25.0", "", {}, "sha512-old=="],
  }
}
`;

describe('a lockfile', () => {
  it.each([
    ['package-lock.json', npm],
    ['npm-shrinkwrap.json', npm],
    ['pnpm-lock.yaml', pnpm],
    ['yarn.lock', yarn],
    ['bun.lock', bun],
  ])('%s has the hash of each version', async (file, text) => {
    const project = join(folder, file);
    const functions = join(project, 'functions', 'one');
    mkdirSync(functions, { recursive: true });
    writeFileSync(join(project, file), text);
    const lockfile = await findLockfile(functions);
    expect(lockfile?.file).toBe(file);
    const integrityOf = (name: string, version: string) => lockfile?.integrityOf(name, version);
    expect(integrityOf('zod', '4.6.7')).toBe('sha512-zod==');
    expect(integrityOf('zod', '3.25.0')).toBe('sha512-old==');
    expect(integrityOf('@scope/name', '1.0.0')).toBe('sha512-scoped==');
    expect(integrityOf('original', '2.0.0')).toBe('sha512-original==');
    expect(integrityOf('linked', '1.0.0')).toBeUndefined();
    expect(() => integrityOf('zod', '4.6.8')).toThrow(/^zod 4\.6\.8 is installed, and \S+ has .*4\.6\.7.*: install/);
  });
});
