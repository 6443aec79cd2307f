const LEAST_MAJOR = 22;
const LEAST_MINOR = 14;

/**
 * Why a Node version is too old for Patchbay; undefined if it is not. For binaries, which check before they import anything
 * else: imports fail on such a Node with obscure errors.
 *
 * @example
 * ```ts
 * import { nodeVersionFault } from '@patchbay/core/node-version';
 *
 * console.log(nodeVersionFault('20.20.2')); // Node 20.20.2 is too old: 22.14 or newer is needed
 * ```
 */
export function nodeVersionFault(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return undefined;
  return `Node ${version} is too old: ${LEAST_MAJOR}.${LEAST_MINOR} or newer is needed`;
}
