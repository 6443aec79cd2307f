import { canary } from '@patchbay/canaries';
import { describe, expect, it } from 'vitest';
import { createProxyRules, type EgressConfig, isProxyUrl, proxyAuthorization } from './proxy-rules.ts';

const chosen = (url: string, config: EgressConfig, environment: Record<string, string> = {}) =>
  createProxyRules(config, environment).proxyFor(new URL(url))?.host;

describe('the proxy for an origin', () => {
  it.each([
    ['the configured one', 'https://api.acme.example', { proxy: 'http://one.example:3128' }, {}, 'one.example:3128'],
    ['none', 'https://api.acme.example', {}, {}, undefined],
    [
      'the one in HTTPS_PROXY',
      'https://api.acme.example',
      {},
      { HTTPS_PROXY: 'http://two.example:1' },
      'two.example:1',
    ],
    ['the one in https_proxy', 'https://api.acme.example', {}, { https_proxy: 'two.example:1' }, 'two.example:1'],
    [
      'the lower-case one',
      'http://a.example',
      {},
      { http_proxy: 'three.example:1', HTTP_PROXY: 'x.example' },
      'three.example:1',
    ],
    ['none for another protocol', 'https://a.example', {}, { HTTP_PROXY: 'http://three.example:1' }, undefined],
    [
      'the configured one before a variable',
      'http://a.example',
      { proxy: 'http://one.example' },
      { http_proxy: 'x.example' },
      'one.example',
    ],
    ['none for an empty variable', 'http://a.example', {}, { http_proxy: '' }, undefined],
  ] as const)('is %s', (_, url, config, environment, expected) => {
    expect(chosen(url, config, environment)).toBe(expected);
  });

  it.each([
    ['http://localhost:11434'],
    ['http://127.0.0.1:11434'],
    ['http://[::1]:11434'],
    ['https://acme.example'],
    ['https://api.acme.example'],
    ['https://10.1.2.3'],
    ['https://only.example:8443'],
  ])('%s, which NO_PROXY or loopback excludes, has no proxy', (url) => {
    const environment = {
      HTTP_PROXY: 'p.example',
      HTTPS_PROXY: 'p.example',
      NO_PROXY: '.acme.example, 10.0.0.0/8,only.example:8443',
    };
    expect(chosen(url, {}, environment)).toBeUndefined();
  });

  it.each([
    ['https://notacme.example'],
    ['https://11.1.2.3'],
    ['https://only.example'],
    ['https://acme.example.evil.example'],
  ])('%s, which no entry of NO_PROXY names, has a proxy', (url) => {
    const environment = { HTTPS_PROXY: 'p.example', no_proxy: 'acme.example 10.0.0.0/8 only.example:8443' };
    expect(chosen(url, {}, environment)).toBe('p.example');
  });

  it('the configured list replaces NO_PROXY', () => {
    const environment = { https_proxy: 'p.example', no_proxy: '*' };
    expect(chosen('https://127.0.0.1', { noProxy: [] }, environment)).toBe('p.example');
    expect(chosen('https://a.example', { proxy: 'http://p.example', noProxy: ['*'] })).toBeUndefined();
  });
});

it('a variable that is not the URL of an HTTP proxy is reported without its value', () => {
  const environment = { HTTPS_PROXY: `socks5://user:${canary('proxy password')}@p.example` };
  expect(() => createProxyRules({}, environment).secrets()).toThrow(/^HTTPS_PROXY must be the URL of an HTTP proxy/);
  expect(createProxyRules({ noProxy: ['*'] }, environment).secrets()).toEqual([]);
});

it('proxy credentials are secrets in each of their forms', () => {
  const rules = createProxyRules({ proxy: 'http://user:p%40ss-word@p.example' }, {});
  const encoded = Buffer.from('user:p@ss-word').toString('base64');
  expect(rules.secrets()).toEqual(expect.arrayContaining(['user:p%40ss-word', 'p%40ss-word', 'p@ss-word', encoded]));
  expect(proxyAuthorization(new URL('http://user:p%40ss-word@p.example'))).toBe(`Basic ${encoded}`);
});

it.each([
  ['http://p.example:3128', true],
  ['https://user:pass@p.example', true],
  ['p.example:3128', false],
  ['socks5://p.example', false],
  ['http://p.example/path', false],
  ['http://p.example?key=1', false],
  ['http://%E0%A4%A:x@p.example', false],
])('%s is the URL of a proxy: %s', (text, expected) => {
  expect(isProxyUrl(text)).toBe(expected);
});
