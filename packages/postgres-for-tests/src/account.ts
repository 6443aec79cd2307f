import { spawnSync } from 'node:child_process';

/** Whom a child process runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: the account it gets then. Undefined where this process may run it itself. */
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
