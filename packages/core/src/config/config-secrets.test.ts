import { expect, it } from 'vitest';
import { redactUrls, urlSecrets } from './config-secrets.ts';

it.each([
  ['https://api.acme.com/v1', 'https://api.acme.com/v1'],
  ['https://user:s3cr3t@api.acme.com:8443/v1', 'https://[secret]@api.acme.com:8443/v1'],
  ['https://s3cr3t@api.acme.com', 'https://[secret]@api.acme.com'],
  ['https://api.acme.com/v1?key=s3cr3t&x=a@b', 'https://api.acme.com/v1?[secret]'],
  ['https://api.acme.com/v1#s3cr3t', 'https://api.acme.com/v1#[secret]'],
  ['HTTPS://u:s3cr3t@a.test?k=s3cr3t', 'HTTPS://[secret]@a.test?[secret]'],
  ['rediss://:s3cr3t@cache:6379/0', 'rediss://[secret]@cache:6379/0'],
  ['postgresql://u:p@s3cr3t@db/patchbay', 'postgresql://[secret]@db/patchbay'],
  ['postgresql://u:s3/cr3t@db/patchbay', 'postgresql://[secret]'],
  ['postgresql://u:s3#cr3t@db/patchbay', 'postgresql://[secret]'],
  ['https://u:s3cr3t@a.test,https://b.test?k=s3cr3t', 'https://[secret]@a.test,https://b.test?[secret]'],
  ['https://registry.test/@scope/name', 'https://registry.test/@scope/name'],
  ['http://[::1]:4318/v1', 'http://[::1]:4318/v1'],
  ['https://host:8443/v1', 'https://host:8443/v1'],
  ['call https://u:s3cr3t@a.test/x or wait', 'call https://[secret]@a.test/x or wait'],
  ['a sentence: nothing to hide?', 'a sentence: nothing to hide?'],
  ['@patchbay/store-sqlite', '@patchbay/store-sqlite'],
])('%s is shown as %s', (text, shown) => {
  expect(redactUrls(text)).toBe(shown);
});

it('the credentials in a URL count as secrets, both as written and decoded', () => {
  expect(urlSecrets('https://user:s%2Fcr3t@a.test/x?key=k%20ey')).toEqual([
    'user:s%2Fcr3t',
    's%2Fcr3t',
    's/cr3t',
    'key=k%20ey',
    'k ey',
  ]);
  expect(urlSecrets('https://a.test/x')).toEqual([]);
});
