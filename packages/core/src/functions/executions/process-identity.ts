import { readFileSync, readlinkSync } from 'node:fs';

/** Tells processes apart, also over restarts of the machine and where process ids are used again. */
export interface ProcessIdentity {
  /** This process; empty on systems that cannot tell. */
  readonly own: string;
  /** Whether a process that once gave this identity is certainly gone. False wherever that cannot be known. */
  isGone(identity: string): boolean;
}

/** Where Linux keeps what it knows of processes; another folder for tests. */
export function readProcessIdentity(proc = '/proc'): ProcessIdentity {
  const machine = read(() => {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim();
    // Ids of processes mean something within one namespace only: two containers both have a process 1.
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`;
  });
  const startOf = (pid: string) => read(() => startTime(readFileSync(`${proc}/${pid}/stat`, 'latin1')));
  const pid = String(process.pid);
  const start = startOf(pid);
  return {
    own: machine === undefined || start === undefined ? '' : `${machine} ${pid} ${start}`,
    isGone(identity) {
      const [boot, namespace, otherPid, otherStart] = identity.split(' ');
      if (machine === undefined || `${boot} ${namespace}` !== machine) return false;
      if (otherPid === undefined || otherStart === undefined || !/^\d+$/.test(otherPid)) return false;
      return startOf(otherPid) !== otherStart;
    },
  };
}

/** Field 22 of `stat`, counted after the name of the program, which may hold anything (proc_pid_stat(5)). */
function startTime(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function read(body: () => string | undefined): string | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
