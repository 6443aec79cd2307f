import { describe, expect, it } from 'vitest';
import { matchesHost, parseHostPattern } from './host-pattern.ts';

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
  ])('%s is %s', (pattern, url) => {
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
  ])('%s is not %s', (pattern, url) => {
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
  ])('"%s" is none', (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});
