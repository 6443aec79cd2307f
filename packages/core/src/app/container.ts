import 'reflect-metadata';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ServiceRef } from '@patchbay/contracts/services';
import { type DependencyContainer, instanceCachingFactory, container as root } from 'tsyringe';

export type { DependencyContainer };

/**
 * The token of a service in tsyringe, with which a host injects it into its own classes with `@inject(...)`, and under which
 * it registers its own services for plugins.
 *
 * @param id That of the service's ref, such as `app` or `storage`.
 *
 * @example
 * ```ts
 * import { createApp, serviceToken } from '@patchbay/core';
 * import { container as host } from 'tsyringe';
 *
 * const container = host.createChildContainer();
 * const app = await createApp({ patchbay: 1 }, { container });
 * console.log(container.resolve(serviceToken('app')) === app); // true
 * ```
 */
export function serviceToken(id: string): symbol {
  return Symbol.for(`patchbay.service.${id}`);
}

/**
 * The services of one app by their refs: a typed view of tsyringe, and the only file that imports it.
 *
 * tsyringe itself does not check types, lets the last of two registrations win, and overflows the
 * stack on a cycle of factories. This view prevents all three. There is no container per request: a singleton first
 * resolved in a child container would retain objects of that request.
 */
export class Container {
  readonly #inner: DependencyContainer;
  readonly #path: string[] = [];

  /** `inner`: the host's own container, which then resolves the services as well. Default: one of our own. */
  constructor(inner: DependencyContainer = root.createChildContainer()) {
    this.#inner = inner;
  }

  /** Includes parents of the host's container, so that plugins can use services of the host. */
  has(ref: ServiceRef<unknown>): boolean {
    return this.#inner.isRegistered(serviceToken(ref.id), true);
  }

  /** `create` runs once, when the service is first resolved. */
  register<T>(ref: ServiceRef<T>, create: () => T): void {
    if (this.#inner.isRegistered(serviceToken(ref.id))) throw new Error(`service "${ref.id}" is already registered`);
    this.#inner.register(serviceToken(ref.id), { useFactory: instanceCachingFactory(create) });
  }

  /** @throws PatchbayError if the service is not registered, or depends on itself. */
  resolve<T>(ref: ServiceRef<T>): T {
    if (this.#path.includes(ref.id)) {
      throw new PatchbayError('plugin_incompatible', `circular dependency: ${[...this.#path, ref.id].join(' -> ')}`);
    }
    const needer = this.#path.at(-1);
    if (!this.has(ref)) {
      const need = needer === undefined ? '' : ` (needed by ${needer})`;
      throw new PatchbayError('config_invalid', `no service provides "${ref.id}"${need}`);
    }
    this.#path.push(ref.id);
    try {
      return this.#inner.resolve<T>(serviceToken(ref.id));
    } finally {
      this.#path.pop();
    }
  }
}
