import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildServerBundle } from './build-server-bundle.ts';

/**
 * Before a run of all tests: the processes of servers start from a bundle, which `PATCHBAY_TEST_SERVER` names. Examples name the
 * sources: with `PATCHBAY_TEST_NODE_OPTIONS` as their `NODE_OPTIONS` they, too, have the bundle.
 */
export default async function bundleServer(): Promise<void> {
  const folder = join(process.env['PATCHBAY_TEST_RUN'] ?? '', 'server');
  const { main, redirect } = await buildServerBundle(folder);
  process.env['PATCHBAY_TEST_SERVER'] = main;
  process.env['PATCHBAY_TEST_NODE_OPTIONS'] = `--import=${pathToFileURL(redirect).href}`;
}
