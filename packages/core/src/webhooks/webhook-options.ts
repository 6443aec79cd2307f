import { type OptionSchema, type OptionValue, option, textList } from '@patchbay/contracts/config-schema';

/** The section `webhooks` of a config. */
export const webhookOptions = {
  type: 'object',
  reload: true,
  default: {},
  properties: {
    maxPerTenant: option('integer', 'Maximum number of webhooks per tenant.', {
      minimum: 1,
      maximum: 100,
      default: 20,
    }),
    maxPerSecond: option(
      'integer',
      'Maximum number of deliveries one server starts per second, so that its API stays responsive.',
      { minimum: 1, maximum: 100_000, default: 300 },
    ),
    allow: {
      ...textList,
      default: [],
      description:
        'Private address ranges such as `10.0.0.0/8` that may receive events, on any port and over http as well.',
    },
    ports: {
      type: 'array',
      description: 'Ports of public addresses that may receive events.',
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      default: [443, 8443],
    },
    timeoutMs: option('integer', 'Milliseconds a receiver may take to respond.', {
      minimum: 100,
      maximum: 60_000,
      default: 15_000,
    }),
    keepDays: option('integer', 'Days to keep events and their deliveries.', {
      minimum: 4,
      maximum: 3_650,
      default: 30,
    }),
  },
} as const satisfies OptionSchema;

export type WebhookOptions = OptionValue<typeof webhookOptions>;

/** The policy for addresses of receivers. Set by the operator, never by a tenant. */
export type WebhookPolicy = Pick<WebhookOptions, 'ports' | 'allow'>;
