import type { KeyService } from '../access/key-service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Credentials, RequestHead } from '../contracts/authenticator.ts';
import type { Principal } from '../contracts/context.ts';
import type { TenantId } from '../contracts/tenant.ts';
import type { TenantPolicy } from '../contracts/tenant-policy.ts';
import type { CallService } from '../functions/calls/call-service.ts';
import type { ExecutionService } from '../functions/execution-service.ts';
import type { FunctionService } from '../functions/function-service.ts';
import type { ObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import type { GatewayService } from '../gateway/gateway-service.ts';
import type { IdempotencyService } from '../idempotency/idempotency-service.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import type { UsageService } from '../usage/usage-service.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';

/** The services of an app: what its endpoints call, and what a host may call itself. They stay valid after a reload. */
export interface AppServices {
  readonly functions: FunctionService;
  readonly executions: ExecutionService;
  readonly gateway: GatewayService;
  readonly settings: SettingsService;
  readonly calls: CallService;
  readonly observedNames: ObservedNameService;
  readonly webhooks: WebhookService;
  readonly keys: KeyService;
  /** Where hosts write down changes of their own, and read what was changed. */
  readonly audit: Pick<AuditLog, 'list'>;
  /** How often callers may ask: for whoever takes requests, before anything else is done for one. */
  readonly limits: RequestLimits;
  readonly usage: UsageService;
  /** For whoever takes requests: has those with a key run once. */
  readonly idempotency: IdempotencyService;
  /**
   * Ask the mounted authenticators in order who is behind a token, or behind a request.
   *
   * @throws PatchbayError `unauthenticated` for a request without credentials; `invalid_token`, `token_expired` or `key_revoked`; `rate_limited` for an address that had too
   *   many of these.
   */
  authenticate(presented: Credentials | RequestHead): Promise<Principal>;
  /** What the operator lets a tenant use. */
  policyOf(tenant: TenantId): TenantPolicy;
}
