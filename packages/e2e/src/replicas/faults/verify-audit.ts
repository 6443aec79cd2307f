import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { patchbayFile } from '../../driver/patchbay-file.ts';
import type { Member } from '../member.ts';

/** The output of `patchbay audit verify` with the config of a member; undefined if the log is intact. */
export async function verifyAudit({ process: { data } }: Member, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const args = ['--conditions=source', patchbayFile, 'audit', 'verify'];
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
