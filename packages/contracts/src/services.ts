import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './context.ts';
import type { Queue } from './queue.ts';
import type { RootSecret } from './secrets.ts';
import type { Storage } from './storage.ts';
import type { Telemetry } from './telemetry.ts';
import type { Transport } from './transport.ts';

declare const provides: unique symbol;

/** A typed reference to a service of the host. A plugin lists the refs it needs in `deps` and receives the services. */
export interface ServiceRef<T> {
  readonly id: string;
  readonly [provides]?: T;
}

/**
 * Create a reference to a service that your host provides to your plugins. Refs with equal ids are equal, also across installed
 * copies of this package.
 *
 * @param id With your own prefix, such as `acme.users`.
 *
 * @example
 * ```ts
 * import { createServiceRef } from '@patchbay/core/plugin';
 *
 * interface Users {
 *   nameOf(id: string): Promise<string>;
 * }
 * // What a plugin asks for in `deps`, and a host registers in its container.
 * export const users = createServiceRef<Users>('acme.users');
 * ```
 */
export function createServiceRef<T>(id: string): ServiceRef<T> {
  return { id };
}

/** The services that every host provides to its plugins. */
export const services = {
  announce: createServiceRef<Announce>('announce'),
  clock: createServiceRef<Clock>('clock'),
  logger: createServiceRef<Logger>('logger'),
  rootSecret: createServiceRef<RootSecret>('rootSecret'),
  storage: createServiceRef<Storage>('storage'),
  cache: createServiceRef<Cache>('cache'),
  queue: createServiceRef<Queue>('queue'),
  telemetry: createServiceRef<Telemetry>('telemetry'),
  transport: createServiceRef<Transport>('transport'),
} as const;

/**
 * Show the operator who started the server something that must not be logged, such as a key that is shown once.
 *
 * The reference server prints it to the terminal. A host without a terminal may throw; then the secret must
 * not be created.
 */
export type Announce = (notice: Notice) => void;

export interface Notice {
  /** Such as `Admin API key`. */
  readonly title: string;
  readonly value: string;
  /** One sentence of instruction. */
  readonly hint: string;
}
