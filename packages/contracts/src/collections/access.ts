import type { JsonObject } from '../json.ts';
import type { Budget, RateLimit } from '../limits.ts';
import { json, jsonOrNull, rowFields } from './fields.ts';

/** An API key. The secret itself is never stored. */
export const apiKeys = {
  fields: {
    ...rowFields,
    /** The public part of the key, for look-ups. Unique over all tenants. */
    lookupId: 'string',
    name: 'string',
    /** HMAC-SHA-256 of the secret part, in hex, keyed with the server's pepper. */
    secretHash: 'string',
    scopes: json<readonly string[]>(),
    createdAt: 'time',
    createdBy: 'string',
    expiresAt: 'time?',
    revokedAt: 'time?',
    /** Addresses and networks (CIDR) that the key may be used from. Null: from anywhere. */
    ipAddresses: jsonOrNull<readonly string[]>(),
    /** Ids of the functions that the key reaches. Null: all of the tenant. */
    functions: jsonOrNull<readonly string[]>(),
    rateLimit: jsonOrNull<RateLimit>(),
    budget: jsonOrNull<Budget>(),
    /** Lags by up to a minute. */
    lastUsedAt: 'time?',
    rotatedAt: 'time?',
    /** Hash of the secret before the last rotation, which is valid until `previousUntil`. */
    previousHash: 'string?',
    previousUntil: 'time?',
  },
  sort: ['createdAt'],
  filter: ['lookupId'],
  unique: ['lookupId'],
} as const;

/** A browser that is signed in to the console. Neither its secret nor the credential can be read from the row. */
export const sessions = {
  fields: {
    ...rowFields,
    /** HMAC-SHA-256 of the secret in the cookie, in hex. Unique over all tenants. */
    lookupHash: 'string',
    /** The principal that signed in. */
    callerId: 'string',
    /** The credential of the session, encrypted with the secret in the cookie. */
    credential: 'text',
    expiresAt: 'time',
  },
  sort: ['expiresAt'],
  filter: ['lookupHash', 'callerId'],
  unique: ['lookupHash'],
  scan: { where: [], sort: 'expiresAt' },
} as const;

/** Who did what, when. Never changed and never deleted; the hash of each entry covers the one before. */
export const auditEntries = {
  fields: {
    ...rowFields,
    /** 1, 2, 3 … within the tenant, without a gap. */
    sequence: 'integer',
    /** Such as `function.updated`. */
    action: 'string',
    resourceType: 'string',
    resourceId: 'string',
    /** Principal that did it, or `cli`. */
    actorId: 'string',
    actorKind: 'string',
    /** Null if it was not caused by a request. */
    requestId: 'string?',
    address: 'string?',
    createdAt: 'time',
    /** The changes, without secrets and without bodies. */
    details: json<JsonObject>(),
    /** `hash` of the previous entry; empty in the first one. */
    previousHash: 'string',
    /** HMAC-SHA-256, in hex, of all the above. */
    hash: 'string',
  },
  sort: ['sequence'],
  filter: ['action', 'resourceId'],
  unique: [],
} as const;

/** The end of a tenant's audit log. The id is the tenant. */
export const auditHeads = {
  fields: {
    ...rowFields,
    sequence: 'integer',
    hash: 'string',
  },
  sort: ['sequence'],
  filter: [],
  unique: [],
} as const;
