import { PatchbayError } from '@patchbay/contracts/errors';
import { tenantId } from '@patchbay/contracts/tenant';
import { expect, it } from 'vitest';
import { createApp } from '../app/create-app.ts';
import { authenticatorFrom } from './authenticator-from.ts';

it('an authenticator made from a function is called in config order, can reject its own tokens, and passes on others', async () => {
  const user = (id: string) => ({ id, kind: 'user', tenant: tenantId('acme'), scopes: ['functions:read'] }) as const;
  const first = authenticatorFrom(async ({ token }) => {
    if (token === 'old') throw new PatchbayError('token_expired', 'sign in again');
    return token.startsWith('first') ? user('first') : undefined;
  });
  const second = authenticatorFrom(async ({ token }) => (token.endsWith('second') ? user('second') : undefined));
  const app = await createApp({ patchbay: 1, authenticators: { first: { use: first }, second: { use: second } } });
  expect(await app.services.authenticate({ token: 'first-and-second' })).toEqual(user('first'));
  expect(await app.services.authenticate({ token: 'the-second' })).toEqual(user('second'));
  await expect(app.services.authenticate({ token: 'old' })).rejects.toMatchObject({ code: 'token_expired' });
  await expect(app.services.authenticate({ token: 'other' })).rejects.toMatchObject({ code: 'invalid_token' });
  await app.host.stop();
});
