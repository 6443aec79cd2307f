import { execa } from 'execa';

const TETHER = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/**
 * A prefix for commands that makes the kernel kill the process when the host dies, and keeps it from ever gaining
 * privileges. Without it, a function in an endless loop would outlive a host that was killed. Empty where the system
 * has no `setpriv` (util-linux), as on macOS and Windows.
 */
export async function findTether(command: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const [file = '', ...rest] = [...TETHER, ...command];
  const { failed } = await execa(file, rest, { reject: false, stdio: 'ignore', cancelSignal: signal });
  return failed ? [] : TETHER;
}
