import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Before a run of the tests: a folder for what its files share, which is gone after it. */
export default async function prepareTestRun(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-run-'));
  process.env['PATCHBAY_TEST_RUN'] = folder;
  return async () => await rm(folder, { recursive: true, force: true });
}
