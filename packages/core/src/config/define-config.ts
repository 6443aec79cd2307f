import type { AppConfig } from './app-config.ts';

/**
 * The type of a config in JavaScript or TypeScript: what `patchbay.config.ts` exports as its default.
 *
 * @example
 * ```ts
 * import { defineConfig } from '@patchbay/core';
 *
 * export default defineConfig({
 *   patchbay: 1,
 *   storage: { use: '@patchbay/store-sqlite', with: { file: './data/patchbay.db' } },
 * });
 * ```
 */
export function defineConfig(config: AppConfig): AppConfig {
  return config;
}
