import { fileURLToPath } from 'node:url';

/** The file of the command `patchbay`: its source, or in a run of all tests the bundle of it (`scripts/server-bundle`). */
export const patchbayFile =
  process.env['PATCHBAY_TEST_SERVER'] ?? fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));
