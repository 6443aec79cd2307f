import { describe, expect, it } from 'vitest';
import { readCredentials } from './credentials.ts';

const requestWith = (headers: Readonly<Record<string, string>>) => ({
  header: (name: string) => headers[name],
  headerCount: (name: string) => (name in headers ? 1 : 0),
});

describe('readCredentials', () => {
  it.each([{ authorization: 'Bearer abc' }, { authorization: 'bearer   abc ' }, { 'x-api-key': 'abc' }])(
    'takes the token of %j',
    (headers) => {
      expect(readCredentials(requestWith(headers), '127.0.0.1')).toEqual({ token: 'abc', remoteAddress: '127.0.0.1' });
    },
  );

  it.each([{ authorization: 'Bearer' }, { authorization: 'Bearer ' }, { authorization: '' }, { 'x-api-key': '' }])(
    'says of %j that nothing is in it',
    (headers) => {
      expect(() => readCredentials(requestWith(headers))).toThrow('the token is empty');
    },
  );

  it.each([{ authorization: 'Basic YTpi' }, { authorization: 'Bearerabc' }, { authorization: 'pbk_live_x' }])(
    'says of %j which scheme it has to be',
    (headers) => {
      expect(() => readCredentials(requestWith(headers))).toThrow('the scheme of Authorization must be Bearer');
    },
  );
});
