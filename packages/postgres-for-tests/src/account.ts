import { spawnSync } from 'node:child_process';

/** The account as which a child process runs. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account for PostgreSQL, which refuses to run as root. Undefined if this process may run it itself. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (what: '-u' | '-g', name: string): number => {
    const { status, stdout } = spawnSync('id', [what, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : Number.NaN;
  };
  for (const name of ['postgres', 'nobody']) {
    const account = { uid: id('-u', name), gid: id('-g', name) };
    if (Number.isInteger(account.uid) && Number.isInteger(account.gid)) return account;
  }
  return { uid: 65_534, gid: 65_534 };
}
