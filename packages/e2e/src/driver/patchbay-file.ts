import { fileURLToPath } from 'node:url';

/** The source of the command `patchbay`. */
export const patchbaySource = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));

/** The file of the command: its source, or in a run of all tests the bundle of it (`scripts/server-bundle`). */
export const patchbayFile = process.env['PATCHBAY_TEST_SERVER'] ?? patchbaySource;
