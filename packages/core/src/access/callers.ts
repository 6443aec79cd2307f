import type { Authenticator, Credentials, RequestHead } from '@patchbay/contracts/authenticator';
import { didYouMean } from '@patchbay/contracts/base/names';
import { requireAllFunctions } from '@patchbay/contracts/base/stored-rows';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import { isGrantedScope, scopes as knownScopes, operatorScopes, type Scope } from '@patchbay/contracts/scopes';
import { isTenantId, type TenantId } from '@patchbay/contracts/tenant';
import type { NameFilter, TenantPolicy } from '@patchbay/contracts/tenant-policy';
import { LINK_PREFIX } from './sign-in-links.ts';

/**
 * Authenticate a token or request with the authenticators, in order. If there are none, every caller is rejected.
 *
 * @throws PatchbayError `unauthenticated` for a request without credentials, `invalid_token` if no authenticator accepts
 *   its credentials, or the error of an authenticator.
 */
export function createAuthenticate(authenticators: readonly Authenticator[]): Authenticate {
  // Authenticators return the same object again for a credential that they remember.
  const valid = new WeakSet<Principal>();
  return async (presented) => {
    for (const authenticator of authenticators) {
      const principal = await ask(authenticator, presented);
      if (!principal) continue;
      if (!valid.has(principal)) valid.add(checkPrincipal(principal));
      return principal;
    }
    throw refusalOf(presented);
  };
}

/** Authenticates a request, or the token of one. */
type Authenticate = (presented: Credentials | RequestHead) => Promise<Principal>;

/** The requests of browsers, which have a session or come with a sign-in link. */
export interface BrowserSessions {
  /** @throws PatchbayError `invalid_token` if the session has ended, or of the authenticators. */
  resume(secret: string, remoteAddress: string | undefined): Promise<Principal>;
  /** The caller that a sign-in link stands for, who can only sign in. Undefined: there are no links. */
  arrive(link: string, head: RequestHead): Promise<Principal> | undefined;
}

/** Authenticate requests with a session or a sign-in link as well. */
export function withSessions(authenticate: Authenticate, sessions: BrowserSessions): Authenticate {
  return (presented) => {
    if (!isRequest(presented)) return authenticate(presented);
    const { token, session, remoteAddress } = presented;
    if (token?.startsWith(LINK_PREFIX)) return sessions.arrive(token, presented) ?? authenticate(presented);
    if (token === undefined && session !== undefined) return sessions.resume(session, remoteAddress);
    return authenticate(presented);
  };
}

function ask(
  authenticator: Authenticator,
  presented: Credentials | RequestHead,
): Promise<Principal | undefined> | undefined {
  if (isRequest(presented) && authenticator.authenticateRequest) return authenticator.authenticateRequest(presented);
  const { token, remoteAddress } = presented;
  if (token === undefined) return undefined;
  // Only these: a token authenticator must not see the rest of the request.
  return authenticator.authenticate(remoteAddress === undefined ? { token } : { token, remoteAddress });
}

function refusalOf(presented: Credentials | RequestHead): PatchbayError {
  if (presented.token !== undefined) return new PatchbayError('invalid_token', 'the credentials are not valid');
  if (isRequest(presented) && presented.header('authorization') !== undefined) {
    return new PatchbayError(
      'invalid_token',
      'the credentials are not valid: the scheme of Authorization must be Bearer',
    );
  }
  return new PatchbayError('unauthenticated', 'send an API key or access token as "Authorization: Bearer <token>"');
}

function isRequest(presented: Credentials | RequestHead): presented is RequestHead {
  return 'header' in presented;
}

/** The ids that storages accept (contracts, `FieldType`). */
const storable = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

const kinds: readonly string[] = ['api-key', 'user', 'service'] satisfies readonly Principal['kind'][];

/**
 * Validate the principal of an authenticator or a host: rows are stored under its tenant, and limits counted by its
 * id. The core validates the principals of authenticators, a binder those of its host.
 *
 * @throws TypeError that names the member and, for a misspelt scope, the most similar one. It is for the log: the
 *   client receives a 500, because the fault is not the client's.
 *
 * @example
 * ```ts
 * import { checkPrincipal, tenantId } from '@patchbay/core';
 *
 * checkPrincipal({ id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['functions:execute'] });
 * ```
 */
export function checkPrincipal(principal: Principal): Principal {
  const { id, kind, tenant, scopes, functions, expiresAt } = principal;
  if (typeof id !== 'string' || id.length > 255 || !storable.test(id)) {
    throw fault('id must have 1 to 255 characters, none of them a control character');
  }
  if (!kinds.includes(kind)) throw fault(`kind must be one of ${kinds.join(', ')}`);
  if (typeof tenant !== 'string' || !isTenantId(tenant)) throw fault('tenant must be one that tenantId() accepts');
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
  if (!isList) throw fault('scopes must be a list of strings');
  const isAllowList =
    functions === undefined || (Array.isArray(functions) && functions.every((each) => typeof each === 'string'));
  if (!isAllowList) throw fault('functions must be a list of ids');
  if (expiresAt != null && (typeof expiresAt !== 'number' || Number.isNaN(new Date(expiresAt).getTime()))) {
    throw fault('expiresAt must be epoch milliseconds, or null');
  }
  const unknown = scopes.find((scope) => !isGrantedScope(scope));
  if (unknown !== undefined) {
    const known = Object.keys(knownScopes);
    const hint = didYouMean(unknown, known) || `; there are ${known.join(', ')} and *`;
    throw fault(`scopes include ${JSON.stringify(unknown)}, which is not a scope${hint}`);
  }
  return principal;
}

function fault(what: string): TypeError {
  return new TypeError(`the principal is not valid: its ${what}`);
}

/**
 * Require a scope of a caller.
 *
 * @throws PatchbayError `insufficient_scope`, with the missing scope in its extensions.
 *
 * @example
 * ```ts
 * import { authorize } from '@patchbay/core';
 * import type { Principal } from '@patchbay/core/plugin';
 *
 * declare const caller: Principal;
 * authorize(caller, 'functions:execute'); // throws if the scope is missing
 * ```
 */
export function authorize(caller: Principal, scope: Scope): void {
  if (hasScope(caller, scope)) return;
  if (caller.functions && beyondFunctions.has(scope)) requireAllFunctions(caller);
  throw new PatchbayError('insufficient_scope', `the credentials lack the scope ${scope}`, { extensions: { scope } });
}

/** Scopes that concern the whole tenant, or the server: no caller whose functions are limited has them. */
const beyondFunctions: ReadonlySet<string> = new Set<Scope>([
  'webhooks:read',
  'webhooks:write',
  'usage:read',
  'audit:read',
  'metrics:read',
  'tenants:read',
]);

/** Whether a caller has a scope, by its name or by `*`. */
export function hasScope({ scopes, functions }: Pick<Principal, 'scopes' | 'functions'>, scope: string): boolean {
  if (functions && beyondFunctions.has(scope)) return false;
  if (scopes.some((each) => each === scope)) return true;
  return scopes.includes('*') && !operatorScopes.some((each) => each === scope);
}

export type PolicyOf = (tenant: TenantId) => TenantPolicy;

const everything: TenantPolicy = {};

/** @param configured By tenant; `*` applies to all that are not named. A tenant's own policy replaces that of `*`. */
export function createTenantPolicies(configured: Readonly<Record<string, TenantPolicy>> = {}): PolicyOf {
  const byTenant = new Map(Object.entries(configured));
  const others = byTenant.get('*') ?? everything;
  return (tenant) => byTenant.get(tenant) ?? others;
}

/** Whether one of the names is allowed, and none of them denied. */
export function passesFilter({ allow, deny }: NameFilter = {}, ...names: readonly string[]): boolean {
  if (names.some((name) => deny?.includes(name))) return false;
  return allow === undefined || names.some((name) => allow.includes(name));
}
