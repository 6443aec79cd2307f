import type { OptionSchema, OptionValue } from '../contracts/config-schema.ts';

/** The section `egress` of a config: the forward proxy of a server. */
export const egressOptions = {
  type: 'object',
  default: {},
  properties: {
    proxy: {
      type: 'string',
      format: 'proxy-url',
      description:
        'Forward proxy for requests to model providers and issuers of tokens. Default: `HTTPS_PROXY` and `HTTP_PROXY` of the environment.',
    },
    noProxy: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description:
        'Hosts, domains and address ranges that are reached without the proxy; `*` for all. Default: `NO_PROXY` and loopback addresses.',
    },
  },
} as const satisfies OptionSchema;

export type EgressConfig = OptionValue<typeof egressOptions>;
