/**
 * Packs what would be published into a folder, with a package.json that installs it on another machine:
 *
 *     npm run tarballs                      # into the folder tarballs
 *     npm run tarballs -- /tmp/patchbay
 */
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from './tarballs/pack-all.ts';
import { writeManifest } from './tarballs/write-manifest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = 'tarballs'] = process.argv.slice(2);
const target = resolve(root, folder);
mkdirSync(target, { recursive: true });
const tarballs = await packAll(root, target);
for (const { name, file } of tarballs) {
  console.log(`${name.padEnd(28)} ${file} (${Math.ceil(statSync(file).size / 1_024)} kB)`);
}
// The test kit has no place on a server.
await writeManifest(
  tarballs.filter(({ name }) => name !== '@patchbay/testing'),
  target,
);
console.log(`install them with "npm install --omit=dev --ignore-scripts" in ${target}, or in a copy of it`);
