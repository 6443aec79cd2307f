import {
  type ConfigOf,
  type GrantedScope,
  type OptionSchema,
  PatchbayError,
  scopes,
  tenantId,
} from '@patchbay/core/plugin';

const grantedScopes: readonly GrantedScope[] = [...(Object.keys(scopes) as GrantedScope[]), '*'];

/** Signatures with a public key. A shared secret that checks signatures can make them as well. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
] as const;

const introspection = {
  type: 'object',
  description: 'Introspection of tokens that are not JWTs (RFC 7662).',
  properties: {
    endpoint: {
      type: 'string',
      description: 'URL of the endpoint. Default: `introspection_endpoint` of the metadata.',
    },
    clientId: { type: 'string', minLength: 1, description: 'Client id of this server at the issuer.' },
    clientSecret: { type: 'string', minLength: 1, writeOnly: true, description: 'Client secret.' },
    cacheSeconds: {
      type: 'integer',
      minimum: 0,
      maximum: 300,
      default: 30,
      description: 'Seconds to cache a response; a revoked token stays valid for that long.',
    },
    requireAudience: {
      type: 'boolean',
      default: true,
      description:
        'Reject tokens without an `aud`. Turn it off only for an issuer whose tokens are all meant for this server.',
    },
  },
  required: ['clientId', 'clientSecret'],
} as const satisfies OptionSchema;

const claim = (value: string, description: string) =>
  ({ type: 'string', minLength: 1, default: value, description }) as const;

/** One issuer of tokens. */
export const issuerOptions = {
  type: 'object',
  properties: {
    issuer: {
      type: 'string',
      minLength: 1,
      description: 'Exact value of the `iss` claim. Must use https, except on this machine.',
    },
    audience: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Accepted values of the `aud` claim; a token must contain one of them.',
    },
    algorithms: {
      type: 'array',
      items: { type: 'string', enum: algorithms },
      default: ['ES256', 'RS256', 'PS256', 'EdDSA'],
      description: 'Accepted signature algorithms.',
    },
    tokenType: {
      type: 'string',
      enum: ['at+jwt', 'any'],
      default: 'at+jwt',
      description:
        '`any` accepts tokens of issuers that do not follow RFC 9068, and with it ID tokens for our audience.',
    },
    jwksUri: { type: 'string', description: 'URL of the keys. Default: from the metadata of the issuer.' },
    introspection,
    tenant: { type: 'string', description: 'Tenant of all tokens. Default: the tenant claim.' },
    tenantClaim: claim('client_id', 'Claim with the tenant: a name, or a JSON pointer such as /org/id.'),
    tenantPrefix: {
      type: 'string',
      description:
        'Prefix of tenants that come from the claim and are not mapped by `tenants`. Default: the issuer name and a colon, so ' +
        'that no client gets into a tenant of another issuer or of API keys. Empty: the claim is the tenant.',
    },
    tenants: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Tenant by value of the claim. Tokens with another value are refused.',
    },
    principalClaim: claim('sub', 'Claim that identifies the caller.'),
    scopeClaim: claim('scope', 'Claim with the scopes: a space-separated string or an array.'),
    scopes: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string', enum: grantedScopes } },
      description: 'Scopes by value of the claim. Default: values that are Patchbay scopes, except `*`.',
    },
  },
  required: ['issuer', 'audience'],
} as const satisfies OptionSchema;

/** One issuer as it is configured. */
export type IssuerConfig = ConfigOf<typeof issuerOptions>;

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether requests to a URL are allowed: over TLS, or on this machine. Keys and responses that others can change in transit are
 * not trustworthy.
 */
export function isTrustworthy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, hash } = new URL(text);
  if (username !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

/** @throws PatchbayError `config_invalid` for what a schema cannot express. */
export function checkIssuer(name: string, config: IssuerConfig): void {
  const fail = (option: string, message: string): never => {
    throw new PatchbayError('config_invalid', `issuers.${name}.${option} ${message}`);
  };
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(name)) fail('', 'is not a name: a to z, 0 to 9, "_" and "-", 32 at most');
  const { issuer, audience, jwksUri, introspection, tenant, tenants = {} } = config;
  const urls = { issuer, jwksUri, 'introspection.endpoint': introspection?.endpoint };
  for (const [option, url] of Object.entries(urls)) {
    if (url !== undefined && !isTrustworthy(url)) fail(option, 'must be an https URL, or one of this machine');
  }
  if (audience.length === 0) fail('audience', 'must have an entry: tokens for others are not for us');
  for (const each of [...(tenant === undefined ? [] : [tenant]), ...Object.values(tenants)]) {
    try {
      tenantId(each);
    } catch (error) {
      fail('tenants', `has ${JSON.stringify(each)}: ${(error as Error).message}`);
    }
  }
}
