import { describe, expect, it } from 'vitest';
import { webhookOptions } from '../webhook-options.ts';
import { checkWebhookUrl, resolveEndpoints } from './check-webhook-url.ts';

const defaultWebhookPolicy = {
  ports: webhookOptions.properties.ports.default,
  allow: webhookOptions.properties.allow.default,
};

const opened = { ports: [443, 8443], allow: ['127.0.0.0/8', 'fd00::/8'] };

describe('checkWebhookUrl', () => {
  it.each([
    'https://example.com',
    'https://example.com/hook?tenant=a&b=%20',
    'https://EXAMPLE.com:8443/a@b',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://_dmarc.example.com/',
    `https://example.com/${'x'.repeat(2_000)}`,
  ])('accepts %s', (url) => {
    expect(checkWebhookUrl(url, defaultWebhookPolicy)).toBeUndefined();
  });

  it.each([
    ['http://example.com/', 'must begin with https://'],
    ['https://example.com:444/', 'must have one of the ports 443, 8443'],
    ['https://10.0.0.7/', 'must not lead to a private address'],
    ['https://localhost/', 'must not lead to a private address'],
    ['https://a:b@example.com/', 'must not have a user name or password in it'],
    ['https://example.com/#a', 'must not have a fragment, which is never sent'],
    ['https://example.com./', 'must have a host without a dot at its end'],
    ['https://a..example.com/', 'must have a host that can be the name of one'],
    [`https://${'a'.repeat(64)}.example.com/`, 'must have a host that can be the name of one'],
    [`https://${'abcdefghi.'.repeat(26)}com/`, 'must have a host of at most 253 characters'],
    ['https://example.com:0/', 'must not have port 0'],
    ['https://example.com:65536/', 'must be a URL'],
    ['https://', 'must be a URL that begins with https://'],
    ['example.com', 'must be a URL that begins with https://'],
    ['https://exa mple.com/', 'must be a URL that begins with https://'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('explains the problem with %s', (url, problem) => {
    expect(checkWebhookUrl(url, defaultWebhookPolicy)).toBe(problem);
  });

  it.each([
    ['http://127.0.0.1:9000/', undefined],
    ['https://127.0.0.1:9000/', undefined],
    ['http://localhost:9000/', undefined],
    ['http://hooks.internal/', undefined],
    ['http://[fd12::1]/', undefined],
    ['http://10.0.0.1/', 'must not lead to a private address'],
    ['http://[::ffff:127.0.0.1]/', 'must not lead to a private address'],
    ['http://8.8.8.8/', 'must begin with https://'],
    ['https://8.8.8.8:9000/', 'must have one of the ports 443, 8443'],
  ])('with private ranges open, reports for %s: %s', (url, problem) => {
    expect(checkWebhookUrl(url, opened)).toBe(problem);
  });
});

const answering = (address: string) => async () => [{ address, family: 4 }];
const failing = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};
const closed = { ports: [443], allow: [] };
const openLoopback = { ports: [443], allow: ['127.0.0.0/8'] };
const addressesOf = async (resolving: ReturnType<typeof resolveEndpoints>, name: string) =>
  (await resolving(name)).map(({ address }) => address);

describe('resolveEndpoints', () => {
  it('queries DNS, and the system only for names of an open network', async () => {
    const both = { byDns: answering('192.0.2.1'), bySystem: answering('192.0.2.2') };
    expect(await addressesOf(resolveEndpoints(closed, both), 'a.test')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(closed, both), 'container')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(openLoopback, both), 'a.test')).toEqual(['192.0.2.1']);
    expect(await addressesOf(resolveEndpoints(openLoopback, both), 'container')).toEqual(['192.0.2.2']);
  });

  it.each(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])('falls back to the system after %s', async (code) => {
    const sources = { byDns: failing(code), bySystem: answering('192.0.2.2') };
    expect(await addressesOf(resolveEndpoints(openLoopback, sources), 'a.test')).toEqual(['192.0.2.2']);
    await expect(resolveEndpoints(closed, sources)('a.test')).rejects.toMatchObject({ code });
  });

  it('skips the system resolver after a DNS timeout', async () => {
    const sources = { byDns: failing('ETIMEOUT'), bySystem: answering('192.0.2.2') };
    await expect(resolveEndpoints(openLoopback, sources)('a.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });

  it('resolves localhost by itself, as far as its range is open', async () => {
    const neither = { byDns: failing('never'), bySystem: failing('never') };
    expect(await addressesOf(resolveEndpoints(openLoopback, neither), 'localhost')).toEqual(['127.0.0.1']);
    expect(
      await addressesOf(resolveEndpoints({ ...openLoopback, allow: ['::1/128'] }, neither), 'a.localhost'),
    ).toEqual(['::1']);
    expect(await addressesOf(resolveEndpoints(closed, neither), 'localhost')).toEqual([]);
  });
});
