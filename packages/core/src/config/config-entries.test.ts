// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what is tested
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../app/load-config.ts';
import { printConfig } from './config-entries.ts';
import { configFolder } from './fixtures/config-folder.ts';

const plugin = `export default {
  $$type: 'patchbay.plugin',
  definition: {
    name: 'acme', kind: 'router', version: 1,
    config: { properties: {
      apiKey: { type: 'string', writeOnly: true },
      keys: { type: 'object', writeOnly: true },
      url: { type: 'string' },
      hosts: { type: 'array', items: { type: 'string' } },
      baseUrl: { type: 'string' },
      mirrors: { type: 'array', items: { type: 'string' } },
      retries: { type: 'integer', default: 2 },
      account: { type: 'object', properties: { name: { type: 'string' }, token: { type: 'string', writeOnly: true } } },
    } },
    create: () => ({ route() {} }),
  },
};`;

describe('printConfig', () => {
  it('shows every value with its source, and no secret', async () => {
    using folder = configFolder({
      'acme.js': plugin,
      key: 'k-s3cr3t',
      'patchbay.config.yaml': `patchbay: 1
secret: s3cr3t-s3cr3t-s3cr3t-s3cr3t-s3cr3t
router:
  use: ./acme.js
  with:
    apiKey: s3cr3t
    keys: { a: s3cr3t, b: [s3cr3t] }
    url: https://\${HOST}/x?k=\${file:key}
    hosts: [\${A:-a.test}, b.test]
    baseUrl: "https://me:s3cr3t@proxy.test/v1?key=s3cr3t"
    mirrors: ["\${C}"]
    account: { name: me, token: s3cr3t }
autoMigrate: \${MIGRATE:-false}
`.replace('[${A:-a.test}, b.test]', '["${A:-a.test}", b.test]'),
    });
    const loaded = await loadConfig({ cwd: folder.path, env: { HOST: 'acme.test', C: 'https://s3cr3t@c.test' } });
    const text = await printConfig(loaded);
    expect(text).toContain(`patchbay: 1
secret: "[secret]"
router:
  use: acme
  with:
    apiKey: "[secret]"
    keys: "[secret]"
    url: "[secret]" # HOST, file:key
    hosts:
      - a.test # A
      - b.test
    baseUrl: https://[secret]@proxy.test/v1?[secret]
    mirrors:
      - https://[secret]@c.test # C
    account:
      name: me
      token: "[secret]"
    retries: 2 # default
  optional: false # default
autoMigrate: false # MIGRATE
executions:
  timeoutMs: 10000 # default
  outputBytes: 1048576 # default
  logBytes: 65536 # default
  asyncTimeoutMs: 60000 # default
  asyncConcurrency: 2 # default
  maxQueued: 10000 # default
  maxAttempts: 10 # default
  retryInterrupted: false # default
  leaseMs: 15000 # default
functions:
  maxCalls: 100 # default
  fetch:
    timeoutMs: 10000 # default
    responseBytes: 1048576 # default
  dynamicCalls: declared # default
  settingsLabel: production # default
gateway:
  timeoutMs: 600000 # default
  fallbackAfterMs: 12000 # default
  reasoningFallbackAfterMs: 120000 # default
  vendorTools: false # default
limits:
  off: false # default
  key:
    all:
      requests: 100 # default
`);
    expect(text).toContain(`
startTimeoutMs: 10000 # default
`);
    expect(JSON.stringify(loaded.entries)).not.toContain('s3cr3t');
    expect(loaded.entries.find(({ path }) => path.at(-1) === 'name')).toEqual({
      path: ['router', 'with', 'account', 'name'],
      value: 'me',
      source: 'file',
      line: 12,
      column: 22,
    });
  });
});
