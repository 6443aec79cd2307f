/**
 * The published packages work outside of this workspace: every package is packed, installed by npm into an empty
 * project without install scripts, and used under each Node that is supported.
 *
 *     npm run check:tarballs [-- 22.23.3 26.10.0]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkTypes } from './tarballs/check-types.ts';
import { installTarballs } from './tarballs/install-tarballs.ts';
import { nodeBinary } from './tarballs/node-binary.ts';
import { packAll } from './tarballs/pack-all.ts';
import { tryCreatePlugin } from './tarballs/try-create-plugin.ts';
import { tryImports } from './tarballs/try-imports.ts';
import { tryServer } from './tarballs/try-server.ts';
import { walkInstallPage } from './tarballs/walk-install-page.ts';
import { walkPluginGuide } from './tarballs/walk-plugin-guide.ts';
import { writeManifest } from './tarballs/write-manifest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22.23.3', '24.21.0', '26.10.0'];
const directory = await mkdtemp(join(tmpdir(), 'patchbay-tarballs-'));
try {
  const packed = join(directory, 'tarballs');
  const tarballs = await packAll(root, packed);
  await writeManifest(tarballs, packed);
  const problems = [...(await checkTypes(tarballs))];
  const project = await installTarballs(tarballs, join(directory, 'project'));
  console.log(`tarballs: ${tarballs.length} packed and installed without install scripts`);
  const walked = await walkPluginGuide(root, packed, join(directory, 'author'));
  console.log(`tarballs: the page for authors of plugins ${walked.length === 0 ? 'works as written' : 'FAILED'}`);
  problems.push(...walked);
  for (const version of versions) {
    const node = await nodeBinary(version, join(directory, `node-${version}`));
    const before = problems.length;
    const plugins = join(directory, `plugins-${version}`);
    problems.push(
      ...(await tryImports(node, project, tarballs)),
      ...(await tryServer(node, project)),
      ...(await tryCreatePlugin(node, plugins, tarballs)),
      ...(await walkInstallPage(node, root, packed, join(directory, `installed-${version}`))),
    );
    console.log(
      `tarballs: Node ${version}: ${problems.length === before ? 'imports, server, new plugins and the page about installing work' : 'FAILED'}`,
    );
  }
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
