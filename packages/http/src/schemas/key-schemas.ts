import { operatorScopes, scopes } from '@patchbay/core/plugin';
import { budgetPeriods } from '@patchbay/core/storage';
import { opaqueId as id, nameOf, optionalTime, pageOf, responseObject, timeInput, timestamp } from './schema-object.ts';

const name = nameOf('What the key is for. Not unique.');
const scopeList = {
  type: 'array',
  description:
    'What the key may do: a part of what its maker may do. `*` is everything but ' +
    `${operatorScopes.map((scope) => `\`${scope}\``).join(' and ')}.`,
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  items: { type: 'string', enum: [...Object.keys(scopes), '*'] },
} as const;
const ipAddresses = {
  type: ['array', 'null'],
  description: 'Addresses and networks (CIDR) that the key may be used from. Null: from everywhere.',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', maxLength: 64 },
} as const;
const rateLimit = {
  type: ['object', 'null'],
  description: 'How often the key may be used: `burst` requests at once, refilled at `requests` per `seconds`.',
  properties: {
    requests: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    seconds: { type: 'integer', minimum: 1, maximum: 86_400 },
    burst: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  },
  required: ['requests', 'seconds', 'burst'],
  additionalProperties: false,
} as const;
const budget = {
  type: ['object', 'null'],
  description: 'How much the key may spend on models.',
  properties: {
    usd: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000_000 },
    period: { type: 'string', enum: budgetPeriods, description: 'A calendar day or month in UTC.' },
  },
  required: ['usd', 'period'],
  additionalProperties: false,
} as const;
const expiresAt = {
  type: ['string', 'null'],
  ...timeInput,
  description:
    'Time after which the key is refused, no later than the credentials of the caller expire unless they have the scope ' +
    '`keys:permanent`. Null: the latest that is allowed.',
} as const;

const key = {
  id,
  name,
  scopes: { type: 'array', items: { type: 'string' } },
  createdAt: timestamp,
  createdBy: { type: 'string', description: 'Who made the key.' },
  expiresAt: optionalTime('Time after which the key is refused.'),
  revokedAt: optionalTime('Since when the key is refused.'),
  ipAddresses,
  rateLimit,
  budget,
  lastUsedAt: optionalTime('Behind by up to a minute.'),
  rotatedAt: optionalTime('When the key got its secret, if that was not at its creation.'),
  previousUntil: optionalTime('Until when the secret before the last rotation is accepted as well.'),
} as const;
const secret = { type: 'string', description: 'The key itself. Shown this once.' } as const;

export const keySchemas = {
  KeyInput: {
    type: 'object',
    description: 'What can be decided about a new key. Fields of the service are refused.',
    properties: { name, scopes: scopeList, expiresAt, ipAddresses, rateLimit, budget },
    required: ['name', 'scopes'],
    additionalProperties: false,
  },
  KeyRotation: {
    type: 'object',
    properties: {
      graceSeconds: {
        type: 'integer',
        minimum: 0,
        maximum: 86_400,
        default: 86_400,
        description: 'How long the previous secret stays valid as well.',
      },
    },
    additionalProperties: false,
  },
  Key: responseObject(key, { description: 'An API key, without its secret.' }),
  NewKey: responseObject({ ...key, key: secret }, { description: 'An API key with its secret.' }),
  KeyPage: pageOf('Key'),
} as const;
