/** Where deliveries may go. The operator's, never a tenant's. */
export interface WebhookPolicy {
  /** Ports of public addresses. */
  readonly ports: readonly number[];
  /**
   * Ranges in CIDR notation, such as `10.0.0.0/8` or `::1/128`, that are open although they are not public. In these
   * every port is, and http is as good as https.
   */
  readonly allow: readonly string[];
}

export const defaultWebhookPolicy: WebhookPolicy = { ports: [443, 8443], allow: [] };
