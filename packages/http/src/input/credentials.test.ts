import { inspect } from 'node:util';
import { canary } from '@patchbay/canaries';
import { describe, expect, it } from 'vitest';
import { readCredentials } from './credentials.ts';

const requestWith = (headers: Readonly<Record<string, string>>) => ({
  header: (name: string) => headers[name],
  headerCount: (name: string) => (name in headers ? 1 : 0),
  method: 'GET',
  target: '/functions?limit=1',
});
const found = { mountPath: '/api', remoteAddress: '127.0.0.1' };

describe('readCredentials', () => {
  it.each([{ authorization: 'Bearer abc' }, { authorization: 'bearer   abc ' }, { 'x-api-key': 'abc' }])(
    'takes the token of %j',
    (headers) => {
      const presented = readCredentials(requestWith(headers), found);
      expect([presented.token, presented.remoteAddress]).toEqual(['abc', '127.0.0.1']);
    },
  );

  it.each([{ authorization: 'Bearer' }, { authorization: 'Bearer ' }, { authorization: '' }, { 'x-api-key': '' }])(
    'says of %j that nothing is in it',
    (headers) => {
      expect(() => readCredentials(requestWith(headers), found)).toThrow('the token is empty');
    },
  );

  it.each([{ authorization: 'Basic YTpi' }, { authorization: 'Bearerabc' }, { authorization: 'pbk_live_x' }])(
    'finds no token in %j, and leaves the header to authenticators of requests',
    (headers) => {
      const presented = readCredentials(requestWith(headers), found);
      expect([presented.token, presented.header('authorization')]).toEqual([undefined, headers.authorization]);
      expect([presented.method, presented.target]).toEqual(['GET', '/api/functions?limit=1']);
    },
  );

  it('refuses an Authorization that is longer than any token, whatever its scheme', () => {
    const long = requestWith({ authorization: `Basic ${'a'.repeat(8_192)}` });
    expect(() => readCredentials(long, found)).toThrow('or a length, that no token has');
  });

  it('makes a head that shows nothing where it is logged, copied or serialized', () => {
    const secret = canary('basic-credentials');
    const presented = readCredentials(requestWith({ authorization: `Basic ${secret}` }), found);
    const shown = [inspect(presented, { depth: 9, showHidden: true }), JSON.stringify({ presented, ...presented })];
    expect(shown.join()).not.toContain(secret);
    expect(Object.keys(presented)).toEqual([]);
  });
});
