import { spawn } from 'node:child_process';

/** Cleans up after this process, however it ends. */
export interface Janitor {
  /** Clean up now. Resolves when the server is stopped and the folder is gone. */
  finish(): Promise<void>;
}

// The process at the other end of the pipe sees it close even if this process was killed.
// SIGQUIT is the immediate shutdown of PostgreSQL. It removes the file with its process id when it is done.
const script = `
cat >/dev/null
if read -r pid <"$1/data/postmaster.pid"; then
  kill -QUIT "$pid"
  for i in $(seq 500); do kill -0 "$pid" && sleep 0.02 || break; done
fi 2>/dev/null
rm -rf "$@"
`;

/** @param root Where the server has its data. It is removed like the other folders. */
export function hireJanitor(root: string, ...others: readonly string[]): Janitor {
  const child = spawn('sh', ['-c', script, 'janitor', root, ...others], {
    cwd: '/',
    // A separate session: Ctrl-C in a terminal reaches this process, and not the janitor.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const done = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  return {
    async finish() {
      child.ref();
      child.stdin.end();
      await done;
    },
  };
}
