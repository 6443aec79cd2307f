/**
 * Packs what would be published into a folder, for those who use a clone:
 *
 *     npm run tarballs                      # into the folder tarballs
 *     npm run tarballs -- /tmp/patchbay
 */
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from './tarballs/pack-all.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = 'tarballs'] = process.argv.slice(2);
const target = resolve(root, folder);
mkdirSync(target, { recursive: true });
for (const { name, file } of await packAll(root, target)) {
  console.log(`${name.padEnd(28)} ${file} (${Math.ceil(statSync(file).size / 1_024)} kB)`);
}
