import type { ConfigOf, OptionSchema } from '@patchbay/contracts/config-schema';
import type { TransportOptions } from '@patchbay/contracts/transport';
import { definedMembers } from './json-fields.ts';

const milliseconds = (description: string) => ({ type: 'integer', minimum: 1, description }) as const;

/** The option `timeouts` of a provider, in milliseconds. */
export const timeoutOptions = {
  type: 'object',
  description: 'Timeouts of upstream requests, in milliseconds.',
  properties: {
    connectMs: milliseconds('Milliseconds to establish the connection. Default 5,000.'),
    firstByteMs: milliseconds(
      'Milliseconds until the first byte of the response; without streaming, until it is complete. Default 600,000.',
    ),
    idleMs: milliseconds('Milliseconds between two chunks of the response. Default 300,000.'),
    totalMs: milliseconds('Milliseconds for the whole request. Default 600,000.'),
  },
  additionalProperties: false,
} as const satisfies OptionSchema;

/** The value of the option `timeouts`. */
export type TimeoutOptions = NonNullable<ConfigOf<{ properties: { timeouts: typeof timeoutOptions } }>['timeouts']>;

/**
 * Options for the transport: deadlines that the operator left out keep their defaults.
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
