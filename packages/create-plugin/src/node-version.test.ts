import { nodeVersionFault as ofTheCore } from '@patchbay/core/node-version';
import { expect, it } from 'vitest';
import { nodeVersionFault } from './node-version.ts';

it.each(['20.20.2', '22.13.9', '22.14.0', '24.21.0'])('Node %s is judged, and named, as by the core', (version) => {
  expect(nodeVersionFault(version)).toBe(ofTheCore(version));
});
