import { describe, expect, it } from 'vitest';
import { checkPublicUrl } from './public-url.ts';

describe('checkPublicUrl', () => {
  it.each([
    'https://example.com/a.png?b=c',
    'http://8.8.8.8/a.png',
    'https://[2606:4700:4700::1111]/a.png',
    'https://example.com:8443/a',
    'https://local.example.com/a',
  ])('accepts %s', (url) => {
    expect(checkPublicUrl(url)).toBeUndefined();
  });

  it.each([
    'http://localhost/a',
    'http://a.localhost./a',
    'http://intranet/a',
    'http://printer.local/a',
    'http://metadata.google.internal/a',
    'http://0.0.0.0/a',
    'http://127.0.0.1/a',
    'http://127.1/a',
    'http://0x7f.1/a',
    'http://2130706433/a',
    'http://017700000001/a',
    'http://127.0.0.1./a',
    'http://10.1.2.3/a',
    'http://100.64.0.1/a',
    'http://169.254.169.254/latest/meta-data',
    'http://198.51.100.7/a',
    'http://[::1]/a',
    'http://[::]/a',
    'http://[::ffff:127.0.0.1]/a',
    'http://[64:ff9b::7f00:1]/a',
    'http://[fd00::1]/a',
    'http://[fe80::1]/a',
  ])('finds the private address in %s', (url) => {
    expect(checkPublicUrl(url)).toBe('must not point to a private address');
  });

  it.each([
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['gopher://example.com', 'must be an http or https URL'],
    ['http://user:password@example.com/a', 'must not have a user name or password'],
    ['//example.com', 'must be a URL of at most 8192 characters'],
    ['', 'must be a URL of at most 8192 characters'],
    [`https://example.com/${'a'.repeat(9_000)}`, 'must be a URL of at most 8192 characters'],
  ])('refuses %s', (url, problem) => {
    expect(checkPublicUrl(url)).toBe(problem);
  });
});
