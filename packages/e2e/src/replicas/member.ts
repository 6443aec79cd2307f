import { setTimeout as delay } from 'node:timers/promises';
import { type ServerProcess, type StartOptions, startServerProcess, temporaryData } from '../driver/server-process.ts';

/** One place in a fleet: a process, and the one that is started after it in the same folder. */
export interface Member {
  /** The process that has the place now; the last one while none has. */
  readonly process: ServerProcess;
  /** End it with a signal; the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Start the next one, again and again until it starts, as supervisors do. */
  restart(): Promise<void>;
  /** Unexpected exits. */
  readonly faults: readonly string[];
  /** End it in order and remove its folder. */
  stop(): Promise<void>;
}

const worker = { arguments: ['worker', '--port', '0'], readyMessage: 'working' };
const PATIENCE_MS = 60_000;

export async function startMember(role: 'replica' | 'worker', options: StartOptions): Promise<Member> {
  const data = await temporaryData();
  const faults: string[] = [];
  let ending = false;
  const start = async () => {
    const started = await startServerProcess(data.path, role === 'worker' ? { ...options, ...worker } : options);
    ending = false;
    void started.exited.then(({ code }) => {
      if (!ending) faults.push(`a ${role} ended by itself with ${code}: ${started.errors().slice(-2_000)}`);
    });
    return started;
  };
  let current = await start();
  return {
    get process() {
      return current;
    },
    faults,
    async end(signal) {
      ending = true;
      return (await current.end(signal)).code;
    },
    async restart() {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          current = await start();
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await delay(200);
        }
      }
    },
    async stop() {
      ending = true;
      const { code } = await current.end('SIGTERM');
      if (code !== 0 && code !== null) faults.push(`a ${role} did not stop in order: ${code}`);
      await data.remove();
    },
  };
}
