import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildProgramBundle, buildServerBundle } from './build-server-bundle.ts';

/**
 * Before a run of all tests: the processes of servers start from a bundle, which `PATCHBAY_TEST_SERVER` names, and threads and helpers
 * from another one, by the module that `PATCHBAY_TEST_PROGRAMS` names. Examples name the sources: with `PATCHBAY_TEST_NODE_OPTIONS` as
 * their `NODE_OPTIONS` they, too, use the bundles.
 */
export default async function bundleServer(): Promise<void> {
  const run = process.env['PATCHBAY_TEST_RUN'] ?? '';
  // Helpers run as another user.
  await chmod(run, 0o711);
  const programModule = await buildProgramBundle(join(run, 'programs'));
  const { main, redirect } = await buildServerBundle(join(run, 'server'), programModule);
  process.env['PATCHBAY_TEST_PROGRAMS'] = programModule;
  process.env['PATCHBAY_TEST_SERVER'] = main;
  process.env['PATCHBAY_TEST_NODE_OPTIONS'] = `--import=${pathToFileURL(redirect).href}`;
}
