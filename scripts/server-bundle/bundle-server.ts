import { join } from 'node:path';
import { buildServerBundle } from './build-server-bundle.ts';

/** Before a run of all tests: the processes of servers start from a bundle, which `PATCHBAY_TEST_SERVER` names. */
export default async function bundleServer(): Promise<void> {
  const folder = join(process.env['PATCHBAY_TEST_RUN'] ?? '', 'server');
  process.env['PATCHBAY_TEST_SERVER'] = await buildServerBundle(folder);
}
