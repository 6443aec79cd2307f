/**
 * The prefix of a provider's models, out of the name of its mount: `openai` of `providers.openai`.
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
