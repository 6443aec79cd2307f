import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeVersionFault } from './node-version.ts';

describe('nodeVersionFault', () => {
  it.each(['22.14.0', '22.20.1', '24.0.0', '100.1.0'])('version %s is accepted', (version) => {
    expect(nodeVersionFault(version)).toBeUndefined();
  });

  it.each(['22.13.9', '20.20.2', '9.0.0'])('version %s is refused', (version) => {
    expect(nodeVersionFault(version)).toContain(`Node ${version} is too old`);
  });

  it('the required version is that of package.json', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { engines } = JSON.parse(manifest) as { engines: { node: string } };
    expect(`>=${/: (\S+) or newer/.exec(nodeVersionFault('0.0.0') ?? '')?.[1]}`).toBe(engines.node);
  });
});
