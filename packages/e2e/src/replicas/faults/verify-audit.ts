import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Member } from '../member.ts';

const main = fileURLToPath(new URL('../../../../server/src/main.ts', import.meta.url));

/** The output of `patchbay audit verify` with the config of a member; undefined if the log is intact. */
export async function verifyAudit({ process: { data } }: Member, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const args = ['--conditions=source', main, 'audit', 'verify'];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: data, env: { PATH, NODE_COMPILE_CACHE, ...env } };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return stdout.includes('all in order') ? undefined : `audit verify found no log: ${stdout}`;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `audit verify: ${stdout}${stderr}`;
  }
}
