import type { App } from '@patchbay/core';

/** Of the endpoint of the Model Context Protocol. */
export const metadataPath = '/.well-known/oauth-protected-resource/mcp';

/** An endpoint as OAuth sees it. */
interface ProtectedResource {
  /** The URL of the endpoint: the audience of tokens. */
  readonly resource: string;
  readonly issuers: readonly string[];
}

/**
 * The Model Context Protocol endpoint as an OAuth resource, if an issuer has its URL among the audiences of its
 * tokens. The operator has configured it there: the host of a request could be anything.
 */
export function protectedResource({
  tokenIssuers,
}: Pick<App['services'], 'tokenIssuers'>): ProtectedResource | undefined {
  for (const [resource, issuers] of tokenIssuers()) {
    const url = URL.parse(resource);
    if (url && /^https?:$/.test(url.protocol) && url.pathname.endsWith('/mcp')) return { resource, issuers };
  }
  return undefined;
}

/** Where clients find the metadata (RFC 9728). */
export function metadataUrl(services: Pick<App['services'], 'tokenIssuers'>): string | undefined {
  const { resource } = protectedResource(services) ?? {};
  return resource?.replace(/\/mcp(?:\?.*)?$/, metadataPath);
}
