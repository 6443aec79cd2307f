import type { ConfigOf, OptionSchema } from '../contracts/config-schema.ts';
import type { TransportOptions } from '../contracts/transport.ts';
import { definedMembers } from './defined-members.ts';

const milliseconds = (description: string) => ({ type: 'integer', minimum: 1, description }) as const;

/** The option `timeouts` of a provider, in milliseconds. */
export const timeoutOptions = {
  type: 'object',
  description: 'How long the upstream may take, in milliseconds.',
  properties: {
    connectMs: milliseconds('Milliseconds until the connection stands. Default 5,000.'),
    firstByteMs: milliseconds(
      'Milliseconds until the response begins; without streaming, until it is complete. Default 600,000.',
    ),
    idleMs: milliseconds('Milliseconds between two pieces of the response. Default 300,000.'),
    totalMs: milliseconds('Milliseconds for everything. Default 600,000.'),
  },
  additionalProperties: false,
} as const satisfies OptionSchema;

/** The value of the option `timeouts`. */
export type TimeoutOptions = NonNullable<ConfigOf<{ properties: { timeouts: typeof timeoutOptions } }>['timeouts']>;

/**
 * What the transport is told: deadlines that the operator left out keep their defaults.
 *
 * @example
 * ```ts
 * import { type Transport, transportOptions } from '@patchbay/core/provider';
 *
 * export const fetchOf = (transport: Transport) =>
 *   transport.createFetch(transportOptions('https://api.example.com/v1', { firstByteMs: 60_000 }));
 * ```
 */
export function transportOptions(baseUrl: string, timeouts: TimeoutOptions = {}): TransportOptions {
  return { baseUrl, ...definedMembers(timeouts) };
}
