import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks } from '../docs-blocks/code-blocks.ts';
import { run } from './run.ts';

/** Cloning and packing are done already; a server and its clients are covered by other checks. */
const leftOut = /^(git clone|\(cd patchbay && npm run tarballs\)|npx patchbay serve|curl|\s+-H)/;

/**
 * Do what the page for authors of plugins says, in one shell and line by line, in an empty folder with a clone in it: write
 * a plugin, test it with the tarballs of the clone, build it, install it in a project beside it, and validate a config that
 * mounts it. The Node is that of the clone.
 *
 * @param packed Folder that `npm run tarballs` has written.
 */
export async function walkPluginGuide(root: string, packed: string, directory: string): Promise<readonly string[]> {
  const name = 'writing-a-plugin.md';
  const page = await readFile(join(root, 'docs/plugins', name), 'utf8');
  const blocks = codeBlocks(name, page);
  const shell = blocks.filter(({ language, mark }) => language === 'sh' && mark !== 'sketch');
  const config = blocks.find(
    ({ language, code }) => language === 'yaml' && code.includes('use: patchbay-provider-acme'),
  );
  const [write, ...others] = shell;
  const installed = others.filter(({ code }) => !code.includes('patchbay dev'));
  if (write === undefined || config === undefined || installed.length !== 2) {
    return [`${name}: its blocks are not those that this check knows`];
  }
  await mkdir(join(directory, 'patchbay'), { recursive: true });
  await cp(packed, join(directory, 'patchbay/tarballs'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(directory, 'patchbay/node_modules'));
  const lines = [
    write.code,
    'mkdir ../site && cd ../site',
    `cat > patchbay.config.yaml <<'END'\n${config.code}\nEND`,
    ...installed.map(({ code }) => code),
  ].flatMap((code) => code.split('\n').filter((line) => !leftOut.test(line)));
  try {
    const output = await run('bash', ['-euc', lines.join('\n')], directory);
    const missing = ['pass ', 'provider@1'].filter((text) => !output.includes(text));
    return missing.map((text) => `${name}: its commands do not print "${text}":\n${output.slice(-2_000)}`);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return [`${name}: ${String(error).slice(0, 500)}\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`];
  }
}
