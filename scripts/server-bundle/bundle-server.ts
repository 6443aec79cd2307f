import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgramBundle, buildServerBundle } from './build-server-bundle.ts';

/**
 * Before a run of all tests: the processes of servers start from a bundle, which `PATCHBAY_TEST_SERVER` names, and threads and helpers
 * from another one, by the module that `PATCHBAY_TEST_PROGRAMS` names.
 */
export default async function bundleServer(): Promise<void> {
  const run = process.env['PATCHBAY_TEST_RUN'] ?? '';
  // Helpers run as another user.
  await chmod(run, 0o711);
  const redirect = await buildProgramBundle(join(run, 'programs'));
  process.env['PATCHBAY_TEST_PROGRAMS'] = redirect;
  process.env['PATCHBAY_TEST_SERVER'] = await buildServerBundle(join(run, 'server'), redirect);
}
