import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../../driver/server-process.ts';

/** Resources that a process of a server holds. */
export interface Resources {
  /** By kind, as `TCPSocketWrap` and `Timeout`. */
  readonly active: Readonly<Record<string, number>>;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly files: number;
  readonly sockets: number;
  /** Processes that it has started, and those that they have. */
  readonly processes: number;
}

/** How a server must be started for this. */
export const probeArguments: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./resource-probe.ts', import.meta.url)),
];

const MB = 1_048_576;

export async function readResources(server: ServerProcess): Promise<Resources> {
  const { process, log } = server;
  const before = log.filter(({ message }) => message === 'resources').length;
  process.kill('SIGUSR2');
  const entry = await server.logged('resources', before + 1);
  const pid = Number(process.pid);
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return {
    active: entry['active'] as Resources['active'],
    heapMb: Math.round(Number(entry['heapBytes']) / MB),
    rssMb: Math.round(Number(entry['rssBytes']) / MB),
    files: targets.length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    processes: descendants(pid).length,
  };
}

function descendants(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
      parents.set(Number(name), Number(fields?.[1]));
    } catch {
      // It has ended.
    }
  }
  const under = (each: number | undefined): boolean => each !== undefined && (each === pid || under(parents.get(each)));
  return [...parents.keys()].filter((each) => under(parents.get(each)));
}
