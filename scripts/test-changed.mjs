/**
 * Run the tests that a change reaches within the packages it is in, without the long ones: a loop to work in, not what
 * a change must pass.
 *
 *     npm run test:changed [-- <commit>]   changes since the commit; default: those that are not committed
 */
import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { longFiles } from './test-order/long-files.ts';

const [since = 'HEAD'] = process.argv.slice(2);
const cwd = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).split('\n').filter(Boolean);
const files = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
const folderOf = (file) => /^(?:(?:packages|plugins|examples)\/[^/]+|scripts)\//.exec(file)?.[0];
const folders = [...new Set(files.map(folderOf).filter((folder) => folder !== undefined))];
if (folders.length === 0) {
  console.log('nothing has changed that has tests');
  process.exit(0);
}
// A long test that was changed itself is wanted.
const excluded = longFiles.filter((file) => !files.includes(file)).flatMap((file) => ['--exclude', file]);
const args = ['run', `--changed=${since}`, '--passWithNoTests', ...excluded, ...folders];
const child = spawn('vitest', args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
child.once('exit', (code) => process.exit(code ?? 1));
