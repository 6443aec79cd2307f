import { createRequire } from 'node:module';
import type { ClientClass } from './connections.ts';

/**
 * The client of undici without everything else that its main module loads: `fetch`, WebSockets and caches take four
 * times the memory and time. At the first call only, as the client takes some as well.
 */
export function loadClient(): ClientClass {
  return createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as ClientClass;
}
