import { describe, expect, it } from 'vitest';
import { resolveEndpoints } from './resolve-endpoint.ts';

const answering = (address: string) => async () => [{ address, family: 4 }];
const failing = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};
const closed = { ports: [443], allow: [] };
const opened = { ports: [443], allow: ['127.0.0.0/8'] };
const addressesOf = async (resolving: ReturnType<typeof resolveEndpoints>, name: string) =>
  (await resolving(name)).map(({ address }) => address);

describe('resolveEndpoints', () => {
  it('asks DNS, and the system only for names of an open network', async () => {
    const both = { byDns: answering('192.0.2.1'), bySystem: answering('192.0.2.2') };
    expect(await addressesOf(resolveEndpoints(closed, both), 'a.test')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(closed, both), 'container')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(opened, both), 'a.test')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(opened, both), 'container')).toEqual(['192.0.2.2']);
  });

  it.each(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])('asks the system after %s', async (code) => {
    const sources = { byDns: failing(code), bySystem: answering('192.0.2.2') };
    expect(await addressesOf(resolveEndpoints(opened, sources), 'a.test')).toEqual(['192.0.2.2']);
    await expect(resolveEndpoints(closed, sources)('a.test')).rejects.toMatchObject({ code });
  });

  it('does not let a name that is never answered hold up the system', async () => {
    const sources = { byDns: failing('ETIMEOUT'), bySystem: answering('192.0.2.2') };
    await expect(resolveEndpoints(opened, sources)('a.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('knows localhost by itself, as far as it is open', async () => {
    const neither = { byDns: failing('never'), bySystem: failing('never') };
    expect(await addressesOf(resolveEndpoints(opened, neither), 'localhost')).toEqual(['127.0.0.1']);
    expect(await addressesOf(resolveEndpoints({ ...opened, allow: ['::1/128'] }, neither), 'a.localhost')).toEqual([
      '::1',
    ]);
    expect(await addressesOf(resolveEndpoints(closed, neither), 'localhost')).toEqual([]);
  });
});
