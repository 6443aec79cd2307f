import type { AuditActor } from '../audit/audit-event.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { Budget, RateLimit } from '../contracts/limits.ts';
import type { ApiKeyRow } from '../contracts/rows.ts';
import type { GrantedScope } from '../contracts/scopes.ts';
import type { PageRequest, PageResult } from '../paging/list-page.ts';

/** What a caller may decide about a new key, of the documented shape. Everything else is the server's. */
export interface KeyInput {
  readonly name: string;
  /** `*` is every scope but the operator's, also those that come to exist later. */
  readonly scopes: readonly GrantedScope[];
  /** Time after which the key is refused. Default: when the credentials of the caller expire. */
  readonly expiresAt?: string | null;
  /** Addresses and networks that the key may be used from. Default: those of the caller. */
  readonly ipAddresses?: readonly string[] | null;
  /** Default: that of the caller. */
  readonly rateLimit?: RateLimit | null;
  /** Default: that of the caller. */
  readonly budget?: Budget | null;
}

/** A key with its secret: the one time that it can be seen. */
export interface SecretKey {
  readonly row: ApiKeyRow;
  readonly key: string;
}

/** The longest time for which the secret before the last one is accepted, in seconds. */
export const MAX_GRACE_SECONDS = 86_400;

/**
 * Keeps the API keys of tenants. Every method sees the caller's tenant only. Nobody can make, or get hold of, a key
 * that may do more than the caller.
 */
export interface KeyService {
  /** @throws PatchbayError `insufficient_scope`, and `invalid_request` also for less limits than the caller's. */
  create(input: KeyInput, actor: AuditActor): Promise<SecretKey>;
  /** @throws PatchbayError `key_not_found`. */
  get(id: string, context: Pick<RequestContext, 'caller'>): Promise<ApiKeyRow>;
  list(page: PageRequest<'createdAt'>, context: Pick<RequestContext, 'caller'>): Promise<PageResult<ApiKeyRow>>;
  /**
   * Give a key another secret. The one before is accepted for `graceSeconds` more, 0 to 86,400; one before that is not
   * accepted any more.
   *
   * @throws PatchbayError `key_not_found`, `key_inactive`, `insufficient_scope`.
   */
  rotate(id: string, graceSeconds: number, actor: AuditActor): Promise<SecretKey>;
  /** Refuse a key from now on. Does nothing to a key that was revoked before. @throws PatchbayError `key_not_found`, `insufficient_scope`. */
  revoke(id: string, actor: AuditActor): Promise<ApiKeyRow>;
}
