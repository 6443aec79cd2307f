import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A replica or a worker. */
export interface Running {
  readonly url: string;
  /** SIGTERM, and the wait for its end. */
  stop(): Promise<void>;
}

// In a project with @patchbay/server, `npx patchbay` runs this file.
const patchbay = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const config = fileURLToPath(new URL('../patchbay.config.yaml', import.meta.url));

export async function startProcess(role: 'replica' | 'worker', env: NodeJS.ProcessEnv): Promise<Running> {
  const args = role === 'worker' ? ['worker', '--port', '0'] : [];
  const child = spawn(process.execPath, ['--conditions=source', patchbay, ...args, '--config', config], {
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Otherwise it would keep running if the start of another fails.
  process.once('exit', () => child.kill('SIGTERM'));
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const entry = JSON.parse(line) as { readonly message: string; readonly url?: string };
      if (entry.url !== undefined && ['listening', 'working'].includes(entry.message)) resolve(entry.url);
    });
    child.once('exit', (code) => reject(new Error(`the ${role} ended with ${code}: ${errors}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
