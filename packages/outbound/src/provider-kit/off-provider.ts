import type { Provider } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';

/**
 * A provider that cannot be used, and reports why.
 *
 * @example
 * ```ts
 * import { offProvider } from '@patchbay/core/provider';
 *
 * console.log(offProvider('acme', 'no apiKey is set').off);
 * ```
 */
export function offProvider(name: string, reason: string): Provider {
  return {
    off: reason,
    models: async () => [],
    health: async () => ({ status: 'warn', detail: `off: ${reason}` }),
    async chat() {
      throw providerError('auth', `${name} is off: ${reason}`);
    },
  };
}

/**
 * The prefix of a provider's models, from the name of its mount: `openai` of `providers.openai`.
 *
 * @example
 * ```ts
 * import { providerName } from '@patchbay/core/provider';
 *
 * console.log(providerName('providers.openai')); // openai
 * ```
 */
export function providerName(mount: string): string {
  return mount.slice(mount.lastIndexOf('.') + 1);
}
