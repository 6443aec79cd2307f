import type { FunctionRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createGrants, matchesHost, parseHostPattern } from './grants.ts';

const row = (id: string, name: string) => ({ id, name }) as FunctionRow;
const own = tenantId('default');

describe('createGrants', () => {
  const grantsOf = createGrants([
    { functions: ['function_1', 'weather.*'], hosts: ['a.test'] },
    { functions: ['weather.today'], hosts: ['b.test'], secrets: { KEY: { value: 'secret-value', hosts: ['b.test'] } } },
    { functions: ['*'], tenants: ['acme'], hosts: ['c.test'] },
  ]);
  const hostsOf = (id: string, name: string, tenant = own) =>
    grantsOf(row(id, name), tenant).hosts.flatMap(({ hosts }) => hosts.map((host) => host.name));

  it('grants go to functions by id or name', () => {
    expect(hostsOf('function_1', 'Other')).toEqual(['a.test']);
    expect(hostsOf('function_2', 'weather.today')).toEqual(['a.test', 'b.test']);
    expect([...grantsOf(row('function_2', 'weather.today'), own).secrets.keys()]).toEqual(['KEY']);
    expect([...grantsOf(row('function_2', 'weather.x'), own).secrets.keys()]).toEqual([]);
  });

  it('grants go to no other function', () => {
    expect(hostsOf('function_10', 'Other')).toEqual([]);
    expect(hostsOf('function_2', 'weather')).toEqual([]);
    expect(hostsOf('function_2', 'weatherXtoday')).toEqual([]);
    expect(hostsOf('function_2', 'my weather.today')).toEqual([]);
  });

  it('grants go to no other tenant', () => {
    expect(hostsOf('function_1', 'weather.today', tenantId('acme'))).toEqual(['c.test']);
    expect(hostsOf('function_1', 'weather.today', tenantId('other'))).toEqual([]);
  });
});

const matches = (pattern: string, url: string): boolean => {
  const parsed = parseHostPattern(pattern);
  if (parsed === undefined) throw new Error(`${pattern} is no pattern`);
  return matchesHost(parsed, new URL(url));
};

describe('host patterns', () => {
  it.each([
    ['api.acme.com', 'https://api.acme.com/x?y'],
    ['API.acme.com', 'https://api.acme.com:443/'],
    ['api.acme.com:8443', 'https://api.acme.com:8443/'],
    ['*.acme.com', 'https://a.b.acme.com/'],
    ['*', 'https://whatever.example/'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/'],
    ['http://127.0.0.1', 'http://2130706433/'],
    ['http://[::1]:80', 'http://[0:0:0:0:0:0:0:1]/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['*:8443', 'https://a.test:8443/'],
  ])('%s matches %s', (pattern, url) => {
    expect(matches(pattern, url)).toBe(true);
  });

  it.each([
    ['api.acme.com', 'http://api.acme.com/'],
    ['api.acme.com', 'https://api.acme.com:444/'],
    ['api.acme.com', 'https://api.acme.com.evil.test/'],
    ['api.acme.com', 'https://evilapi.acme.com/'],
    ['api.acme.com', 'https://api.acme.com./'],
    ['*.acme.com', 'https://acme.com/'],
    ['*.acme.com', 'https://evilacme.com/'],
    ['*', 'http://whatever.example/'],
    ['*', 'https://whatever.example:8443/'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9001/'],
    ['api.acme.com', 'https://api.acme.com@evil.test/'],
  ])('%s does not match %s', (pattern, url) => {
    expect(matches(pattern, url)).toBe(false);
  });

  it.each([
    '',
    'ftp://a.test',
    'https://a.test/path',
    'a.test?',
    'user@a.test',
    'a.*.test',
    '**',
    'a b',
    'https://',
    '*.',
    '*a.test',
  ])('"%s" is not a host pattern', (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});
