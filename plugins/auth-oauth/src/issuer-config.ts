import type { ConfigOf } from '@patchbay/core/plugin';
import { PatchbayError, tenantId } from '@patchbay/core/plugin';
import type { issuerOptions } from './issuer-options.ts';

/** One issuer as it is configured. */
export type IssuerConfig = ConfigOf<typeof issuerOptions>;

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether a URL may be asked: over TLS, or on this machine. Keys and answers that others can change on their way are
 * worth nothing.
 */
export function isTrustworthy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, hash } = new URL(text);
  if (username !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

/** @throws PatchbayError `config_invalid` for what a schema cannot say. */
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
