// Checks the packages to publish: entry points exist, types resolve, no file is missing, and no tests are included.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packedFiles } from './tarballs/packed-files.ts';
import { unfitFiles } from './tarballs/unfit-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const isPrivate = (folder: string): boolean =>
  (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { private?: boolean }).private === true;
const folders = ['packages', 'plugins']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
  .filter((folder) => !isPrivate(folder));
let failed = false;
for (const folder of folders) {
  const { messages, pkg } = await publint({ pkgDir: join(root, folder), strict: true, pack: 'pnpm' });
  for (const message of messages) {
    console.error(`${folder}: ${formatMessage(message, pkg, { color: false })}`);
    failed = true;
  }
  const isTestKit = folder === join('packages', 'testing');
  for (const problem of unfitFiles(await packedFiles(join(root, folder)), { isTestKit })) {
    console.error(`${folder}: ${problem}`);
    failed = true;
  }
}
if (failed) process.exit(1);
console.log(`packages: ${folders.length} are fit for publishing`);
