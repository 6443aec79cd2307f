import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDnsServer } from './fixtures/dns-server.ts';
import { createNameResolver } from './resolve-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
const hostsFile = join(folder, 'hosts');
const resolverFile = join(folder, 'resolv.conf');
let dns: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  writeFileSync(hostsFile, '127.0.0.1 localhost\n10.1.2.3 Models models.internal # ours\nfd00::3 models\n');
  writeFileSync(resolverFile, 'nameserver 10.0.0.1\nsearch first.test second.test.\n');
  const zone: Readonly<Record<string, readonly string[]>> = {
    'vendor.test': ['192.0.2.1', '2001:db8::1'],
    'vllm.second.test': ['192.0.2.2'],
    'vllm.apps.second.test': ['192.0.2.3'],
  };
  dns = await startDnsServer((name) => zone[name] ?? []);
});

afterAll(() => {
  dns.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['an address', '192.0.2.9', ['192.0.2.9']],
  ['a name in the hosts file, in any case', 'MODELS', ['10.1.2.3', 'fd00::3']],
  ['an alias in the hosts file', 'models.internal', ['10.1.2.3']],
  ['a name that is always local', 'a.localhost', ['127.0.0.1', '::1']],
  ['a name in DNS', 'vendor.test', ['192.0.2.1', '2001:db8::1']],
  ['a name without a dot, through the search list', 'vllm', ['192.0.2.2']],
  ['a name with a dot, through the search list', 'vllm.apps', ['192.0.2.3']],
])('%s is resolved', async (_, name, addresses) => {
  const names = createNameResolver({ servers: [dns.address], hostsFile, resolverFile });
  expect((await names.resolve(name)).map(({ address }) => address)).toEqual(addresses);
});

it('a name that is found nowhere is refused, or looked up by the fallback', async () => {
  const options = { servers: [dns.address], hostsFile, resolverFile };
  await expect(createNameResolver(options).resolve('gone.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const fallback = async () => [{ address: '192.0.2.7', family: 4 }];
  expect(await createNameResolver({ ...options, fallback }).resolve('gone.test')).toHaveLength(1);
});

it('closing the resolver ends the query to a server that never responds', async () => {
  const silent = await startDnsServer(() => undefined);
  const names = createNameResolver({ servers: [silent.address], hostsFile, resolverFile, timeoutMs: 60_000 });
  const resolving = names.resolve('slow.test');
  names.close();
  await expect(resolving).rejects.toMatchObject({ code: 'ECANCELLED' });
  silent.close();
});
