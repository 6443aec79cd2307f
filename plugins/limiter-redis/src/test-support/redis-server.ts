import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A fresh Redis, on this machine only, that keeps nothing. */
export interface RedisServer {
  readonly url: string;
  /** End it at once, or pause it so that it accepts connections but does not respond, until `resume`. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Start it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether there is a Redis to test with. On Debian it is installed where that is allowed. */
export function haveRedis(): boolean {
  if (isInstalled()) return true;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    // At run level 1 a package does not start its service.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const options = ['install', '-y', '--no-install-recommends', 'redis-server'];
    execFileSync('apt-get', options, { env, stdio: 'ignore', timeout: 120_000 });
  } catch {
    return false;
  }
  return isInstalled();
}

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-redis-'));
  const port = await freePort();
  let child = await launch(port, folder);
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await exited;
    }
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      child = await launch(port, folder);
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error('redis-server ended before it was ready');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no port');
  return address.port;
}
