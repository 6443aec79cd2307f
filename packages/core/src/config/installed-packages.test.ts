import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installedPackages } from './installed-packages.ts';

it('a package within reach in several folders is listed once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inner = join(folder, 'app');
  for (const each of [folder, inner])
    mkdirSync(join(each, 'node_modules', '@acme', 'patchbay-provider'), { recursive: true });
  const names = installedPackages([inner, folder]);
  expect(names.filter((name) => name === '@acme/patchbay-provider')).toEqual(['@acme/patchbay-provider']);
});
