import { type OptionSchema, type OptionValue, textList } from '../../contracts/config-schema.ts';

/** An entry of `functions.grants` in a config: hosts and secrets for some functions. */
export const grantOptions = {
  type: 'object',
  properties: {
    functions: {
      ...textList,
      description: 'Ids or names; `*` stands for any characters. Whoever may write functions chooses their names.',
    },
    tenants: { ...textList, description: 'Tenants whose functions are meant. Default: `default` alone.' },
    hosts: {
      ...textList,
      description:
        'Where `fetch` may go: `api.acme.com`, `*.acme.com`, `api.acme.com:8443`, `http://127.0.0.1:9000`. Without a protocol, https.',
    },
    addresses: {
      ...textList,
      description:
        'Ranges such as `10.1.0.0/16` that these hosts may have addresses in. Without it, public addresses only.',
    },
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          value: { type: 'string', writeOnly: true, description: 'The secret, at least 8 visible characters.' },
          hosts: { ...textList, description: 'Hosts that it may be sent to, out of those above.' },
        },
        required: ['value', 'hosts'],
      },
    },
  },
  required: ['functions'],
} as const satisfies OptionSchema;

export type FunctionGrant = OptionValue<typeof grantOptions>;
