import type { RequestContext } from '../contracts/context.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../contracts/rows.ts';
import type { EventKindName } from '../events/event-kinds.ts';
import type { PageRequest, PageResult } from '../paging/list-page.ts';

/** What an owner decides about a webhook, of the documented shape. */
export interface WebhookInput {
  readonly url: string;
  /** `*` is every kind, also those that come to exist later. */
  readonly events: readonly (EventKindName | '*')[];
  /** Default: empty. */
  readonly description?: string;
  /** Default: true. */
  readonly enabled?: boolean;
}

/** A webhook with its secret: the one time that it can be seen. */
export interface SecretWebhook {
  readonly row: WebhookRow;
  /** `whsec_` and the key in base64. */
  readonly secret: string;
}

/** What a replay comes to: a time that is kept in UTC, and what lies between it and the request. */
export interface ReplayRequest {
  readonly since: string;
  readonly until: string;
}

/** Keeps the webhooks of tenants. Every method sees the caller's tenant only, and throws `webhook_not_found`. */
export interface WebhookService {
  /** @throws PatchbayError `invalid_request` for an address that nothing is sent to; `webhook_limit_reached`. */
  create(input: WebhookInput, context: RequestContext): Promise<SecretWebhook>;
  get(id: string, context: RequestContext): Promise<WebhookRow>;
  list(page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<WebhookRow>>;
  /**
   * Replace everything but the secret. Enabling sends what still waits, and counts failures anew.
   *
   * @throws PatchbayError `invalid_request`, `precondition_failed`, `conflict`.
   */
  replace(id: string, input: WebhookInput, context: RequestContext, ifRevision?: number): Promise<WebhookRow>;
  /** Nothing is sent any more, also nothing that waits. @throws PatchbayError `precondition_failed`. */
  delete(id: string, context: RequestContext, ifRevision?: number): Promise<void>;
  /** Sign with another secret. For a day, deliveries are signed with the one before as well. @throws PatchbayError `conflict`. */
  rotateSecret(id: string, context: RequestContext): Promise<SecretWebhook>;
  /** Send an event that says nothing; the delivery, on its way. @throws PatchbayError `webhook_disabled`. */
  test(id: string, context: RequestContext): Promise<WebhookDeliveryRow>;
  /**
   * Send every event since then that the webhook asks for and has not taken.
   *
   * @param since Any form of ISO 8601 with a zone.
   * @throws PatchbayError `webhook_disabled`, `invalid_request` for a time to come.
   */
  replay(id: string, since: string, context: RequestContext): Promise<ReplayRequest>;
  listDeliveries(
    id: string,
    state: WebhookDeliveryRow['state'] | undefined,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<WebhookDeliveryRow>>;
  /** Send once more, now. @throws PatchbayError `delivery_not_found`, `webhook_disabled`, `conflict`. */
  retry(id: string, deliveryId: string, context: RequestContext): Promise<WebhookDeliveryRow>;
}
