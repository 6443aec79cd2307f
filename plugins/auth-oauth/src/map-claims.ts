import { type GrantedScope, isGrantedScope, isTenantId, operatorScopes, type Principal } from '@patchbay/core/plugin';
import type { IssuerConfig } from './issuer-options.ts';
import type { JsonMembers } from './jwt.ts';

/** Ids of callers are stored in rows that hold 255 characters, after the name of the issuer. */
const MAX_SUBJECT = 200;
const subject = /^[^\p{Cc}\p{Cs}]+$/u;

/** The value of a claim: by name, or by JSON pointer (RFC 6901) where the text begins with a slash. */
function readClaim(claims: JsonMembers, where: string): unknown {
  if (!where.startsWith('/')) return Object.hasOwn(claims, where) ? claims[where] : undefined;
  let value: unknown = claims;
  for (const step of where.slice(1).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonMembers)[name];
  }
  return value;
}

/**
 * The caller that a verified token identifies.
 *
 * @returns undefined if its claims name no tenant of ours, or no caller.
 */
export function mapClaims(name: string, config: IssuerConfig, claims: JsonMembers): Principal | undefined {
  const tenant = config.tenant ?? tenantIn(name, config, readClaim(claims, config.tenantClaim));
  // For a client that acts for itself, introspection need not name a subject (RFC 7662, section 2.2).
  const who = readClaim(claims, config.principalClaim) ?? (config.principalClaim === 'sub' && claims['client_id']);
  if (tenant === undefined || !isTenantId(tenant)) return undefined;
  if (typeof who !== 'string' || who.length > MAX_SUBJECT || !subject.test(who)) return undefined;
  // A client that acts for itself has its own id as the subject (RFC 9068, section 2.2).
  const kind = who === claims['client_id'] ? 'service' : 'user';
  const scopes = scopesIn(config, readClaim(claims, config.scopeClaim));
  // Introspection need not report when a token expires (RFC 7662, section 2.2).
  const expiresAt = endOf(claims['exp']);
  return { id: `${name}|${who}`, kind, tenant, scopes, ...(expiresAt !== undefined && { expiresAt }) };
}

/** In epoch milliseconds; undefined if it is not a date. */
function endOf(exp: unknown): number | undefined {
  if (typeof exp !== 'number') return undefined;
  const end = new Date(exp * 1_000).getTime();
  return Number.isNaN(end) ? undefined : end;
}

function tenantIn(
  name: string,
  { tenants, tenantPrefix = `${name}:` }: IssuerConfig,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (tenants === undefined) return tenantPrefix + value;
  return Object.hasOwn(tenants, value) ? tenants[value] : undefined;
}

function scopesIn({ scopes }: IssuerConfig, value: unknown): readonly GrantedScope[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(' ') : [];
  const given = all.filter((each): each is string => typeof each === 'string' && each !== '');
  // The `*` of an issuer need not mean the same as ours, and no client gets the operator's scopes by asking for them.
  const ofOperator: readonly string[] = ['*', ...operatorScopes];
  if (scopes === undefined) return given.filter(isGrantedScope).filter((each) => !ofOperator.includes(each));
  return [...new Set(given.flatMap((each) => (Object.hasOwn(scopes, each) ? (scopes[each] ?? []) : [])))];
}
