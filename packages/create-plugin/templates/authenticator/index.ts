import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type Authenticator,
  definePlugin,
  type GrantedScope,
  PatchbayError,
  scopes,
  tenantId,
} from '@patchbay/core/plugin';

const grantable = [...(Object.keys(scopes) as GrantedScope[]), '*'] as const;

/** Knows callers by Basic credentials (RFC 7617): a name, and a random password of which the SHA-256 is kept. */
export default definePlugin({
  name: 'patchbay-authenticator-template',
  kind: 'authenticator',
  version: 1,
  config: {
    properties: {
      callers: {
        type: 'object',
        description: 'Callers by name.',
        additionalProperties: {
          type: 'object',
          properties: {
            passwordHash: {
              type: 'string',
              writeOnly: true,
              pattern: '^[0-9a-f]{64}$',
              description: 'SHA-256 of a random password, in hex. A password that a person chose needs a slow hash.',
            },
            tenant: { type: 'string', default: 'default', description: 'The tenant of the caller.' },
            scopes: {
              type: 'array',
              items: { type: 'string', enum: grantable },
              description: 'What the caller may do.',
            },
            expiresAt: { type: 'string', description: 'When the password expires, as in 2027-01-31T00:00:00Z.' },
          },
          required: ['passwordHash', 'scopes'],
        },
      },
    },
    required: ['callers'],
  },
  create: ({ config }) => createBasicAuthenticator(new Map(Object.entries(config.callers))),
});

/** A caller in the config. */
export interface Caller {
  readonly passwordHash: string;
  readonly tenant: string;
  readonly scopes: readonly GrantedScope[];
  readonly expiresAt?: string | undefined;
}

const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Compared for an unknown name, so that it takes as long as a wrong password. */
const nothing = Buffer.alloc(32);

export function createBasicAuthenticator(callers: ReadonlyMap<string, Caller>): Authenticator {
  return {
    // No token is one of this kind.
    authenticate: async () => undefined,

    async authenticateRequest(request) {
      const [, encoded] = basic.exec(request.header('authorization') ?? '') ?? [];
      if (encoded === undefined) return undefined;
      const [name = '', password = ''] = split(Buffer.from(encoded, 'base64').toString());
      const caller = callers.get(name);
      const stored = caller ? Buffer.from(caller.passwordHash, 'hex') : nothing;
      const given = createHash('sha256').update(password).digest();
      if (!timingSafeEqual(stored, given) || !caller) {
        throw new PatchbayError('invalid_token', 'the name or the password is wrong');
      }
      const expiresAt = caller.expiresAt === undefined ? null : Date.parse(caller.expiresAt);
      if (expiresAt !== null && expiresAt <= Date.now()) {
        throw new PatchbayError('token_expired', 'the password has expired');
      }
      // Limits, budgets and usage are counted by the id.
      return { id: `basic|${name}`, kind: 'user', tenant: tenantId(caller.tenant), scopes: caller.scopes, expiresAt };
    },
  };
}

/** A password may have colons in it, a name may not. */
function split(text: string): readonly string[] {
  const colon = text.indexOf(':');
  return colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
}
