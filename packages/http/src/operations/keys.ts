import type { KeyInput } from '@patchbay/core';
import { bodyOf, defineOperation } from '../operation.ts';
import { viewOf } from '../output/view.ts';
import type { PathParameter } from '../routing.ts';
import type { SecretKey } from '../service-types.ts';
import { listQuery, pageReply } from './pages.ts';

const keyId: PathParameter = { description: 'Id of the key.', notFound: 'key_not_found' };

const DEFAULT_GRACE_SECONDS = 86_400;

const view = viewOf('Key');
const viewNew = viewOf('NewKey');

const viewSecret = ({ row, key }: SecretKey): object => viewNew({ ...row, key });

const write = { area: 'system', scope: 'keys:write' } as const;

const listKeys = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  ...write,
  summary: 'List API keys',
  description:
    'The keys of the tenant, also those that were revoked or have expired. Without their secrets. Not for ' +
    'credentials that are limited to some functions.',
  query: listQuery(['createdAt']),
  success: { status: 200, description: 'A page of keys.', schema: 'KeyPage' },
  errors: [],
  handle: ({ query, context }, { services: { keys } }) => pageReply(query, (page) => keys.list(page, context), view),
});

const MOST_EXPIRING = 100;

const listExpiringKeys = defineOperation({
  id: 'listExpiringKeys',
  method: 'GET',
  path: '/expiring-keys',
  ...write,
  summary: 'List the API keys that expire soon',
  description:
    'The keys of the tenant that are valid now and expire within some days, but for those that were made for a day or less, ' +
    'such as the keys of sign-in links. Not for credentials that are limited to some functions.',
  query: {
    days: { type: 'integer', minimum: 1, maximum: 365, default: 7, description: 'Days from now.' },
  },
  success: { status: 200, description: 'The keys, the first to expire first.', schema: 'ExpiringKeys' },
  errors: [],
  async handle({ query, context }, { services: { keys } }) {
    const found = await keys.expiring(query.days, context);
    return { json: { data: found.slice(0, MOST_EXPIRING), meta: { total: found.length } } };
  },
});

const getKey = defineOperation({
  id: 'getKey',
  method: 'GET',
  path: '/keys/:id',
  ...write,
  summary: 'Read an API key',
  description:
    'Name, scopes, limits, expiry and last use. The secret was in the response that created the key, and is ' +
    'stored nowhere.',
  params: { id: keyId },
  success: { status: 200, description: 'The key, without its secret.', schema: 'Key' },
  errors: ['key_not_found'],
  handle: async ({ params, context }, { services: { keys } }) => ({
    json: view(await keys.get(params.id, context)),
  }),
});

const createKey = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  ...write,
  summary: 'Make an API key',
  description:
    'Its scopes are a part of those of the caller, and it expires no later than the credentials of the caller do, unless ' +
    'these have the scope `keys:permanent`. The secret is in this response and nowhere else.',
  body: bodyOf<KeyInput>({ schema: 'KeyInput', limitBytes: 65_536 }),
  success: { status: 201, description: 'The new key, with its secret.', schema: 'NewKey', headers: ['Location'] },
  errors: ['route_not_found'],
  async handle({ body, context }, { services: { keys } }) {
    const made = await keys.create(body, context);
    return { json: viewSecret(made), location: `/keys/${made.row.id}` };
  },
});

const rotateKey = defineOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/keys/:id/rotate',
  ...write,
  summary: 'Give an API key another secret',
  description:
    'The secret before is accepted for a time that the body says, a day at most; one before that no more. A key that lasts ' +
    'longer than the credentials of the caller takes the scope `keys:permanent`.',
  params: { id: keyId },
  body: bodyOf<{ readonly graceSeconds?: number }>({ schema: 'KeyRotation', limitBytes: 1_024, optional: true }),
  success: { status: 200, description: 'The key, with its new secret.', schema: 'NewKey' },
  errors: ['key_not_found', 'key_inactive', 'conflict', 'route_not_found'],
  async handle({ params, body: { graceSeconds = DEFAULT_GRACE_SECONDS }, context }, { services: { keys } }) {
    return { json: viewSecret(await keys.rotate(params.id, graceSeconds, context)) };
  },
});

const revokeKey = defineOperation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/:id',
  ...write,
  summary: 'Revoke an API key',
  description: 'It is refused within a second, here and by every server on the same store. It stays in the list.',
  params: { id: keyId },
  success: { status: 200, description: 'The key is not accepted any more.', schema: 'Deletion' },
  errors: ['key_not_found', 'conflict'],
  async handle({ params, context }, { services: { keys } }) {
    const { id } = await keys.revoke(params.id, context);
    return { json: { success: true, message: `key ${id} was revoked` } };
  },
});

export const keyOperations = [listKeys, listExpiringKeys, createKey, getKey, rotateKey, revokeKey];
