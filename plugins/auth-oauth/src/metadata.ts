import type { AskIssuer } from './ask-issuer.ts';
import { isTrustworthy } from './issuer-config.ts';

/** What an issuer says of itself. */
export interface Metadata {
  readonly jwksUri: string | undefined;
  readonly introspectionEndpoint: string | undefined;
}

/**
 * Where the metadata of an issuer may be: as RFC 8414 has it, between host and path, and as OpenID Connect Discovery
 * has it, behind the path.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/**
 * Read the metadata of an issuer.
 *
 * @param mayAsk Asked before each request.
 * @throws Error where there is none, or it is that of another issuer.
 */
export async function readMetadata(issuer: string, ask: AskIssuer, mayAsk: () => boolean): Promise<Metadata> {
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    if (!mayAsk()) break;
    try {
      const found = await ask(url);
      // Without this, whoever can put a file on the host could speak for every issuer there (RFC 8414, section 6.2).
      if (found['issuer'] !== issuer) throw new Error(`${url} is the metadata of another issuer`);
      return { jwksUri: urlIn(found, 'jwks_uri'), introspectionEndpoint: urlIn(found, 'introspection_endpoint') };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `there is no metadata of ${issuer}`);
}

function urlIn(metadata: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = metadata[name];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isTrustworthy(value)) return value;
  throw new Error(`${name} in the metadata is not an https URL`);
}
