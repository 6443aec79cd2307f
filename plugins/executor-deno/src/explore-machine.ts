import type { Logger } from '@patchbay/core/plugin';
import { checkDeno, findDeno } from './deno-binary.ts';
import { findJail, HOW_TO_GET } from './launch/find-jail.ts';
import type { Jail, JailLevel, JailPrograms } from './launch/jail.ts';
import type { LaunchHelper } from './launch/launch-helper.ts';
import { createLauncher, type Launcher } from './launch/launcher.ts';
import { writeBootstrap } from './run/bootstrap-file.ts';
import { canLimit, limitCommand, measureIdle, type ResourceOptions, residentLimit } from './run/resource-limits.ts';
import { findTether } from './run/tether.ts';
import type { UsageLimits } from './run/usage-watch.ts';

export interface MachineOptions extends ResourceOptions {
  /** What stands around a process; `auto` takes the best that works here. */
  readonly jail: JailLevel | 'auto';
  /** Do not start with less. */
  readonly minJail: JailLevel;
  readonly denoPath?: string | undefined;
}

export interface MachineParts {
  readonly helper: LaunchHelper;
  /** For sockets, and for the module that Deno runs. */
  readonly folder: string;
  readonly programs: JailPrograms;
  readonly logger: Logger;
  /** A process may serve several runs: what the kernel counts for one process is then no limit of one run. */
  readonly isReused: boolean;
}

/** What this machine has to offer. */
export interface Machine {
  readonly launcher: Launcher;
  /** Undefined where the platform does not tell what a process takes. */
  readonly usage: UsageLimits | undefined;
  readonly jail: JailLevel;
  /** For operators: the Deno, the jail. */
  readonly description: string;
  /** For operators: what is missing. */
  readonly doubts: readonly string[];
}

const JAIL_TIMEOUT_MS = 5000;

/**
 * Find Deno, the best jail that works, and what an idle process takes.
 *
 * @throws PatchbayError `plugin_start_failed` where Deno is missing or too old, or no jail is good enough.
 */
export async function exploreMachine(
  options: MachineOptions,
  { helper, folder, programs, logger, isReused }: MachineParts,
  signal: AbortSignal,
): Promise<Machine> {
  const deno = options.denoPath ?? findDeno();
  const version = await checkDeno(deno, signal);
  const [bootstrap, tether, isLimited] = await Promise.all([
    writeBootstrap(folder, signal),
    findTether([deno, '--version'], signal),
    canLimit(limitCommand(options), signal),
  ]);
  const launcherIn = (jail: Jail, limits: readonly string[]): Launcher => {
    // In a jail, the tether is a part of it.
    const prefix = [...(isLimited ? limits : []), ...(jail.level === 'none' ? tether : [])];
    return createLauncher({ helper, folder, deno, bootstrap, memoryMb: options.memoryMb, jail, prefix });
  };
  const { jail, value: idle } = await findJail(
    { deno, level: options.jail, least: options.minJail, programs },
    (candidate) => {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(JAIL_TIMEOUT_MS)]);
      return measureIdle(launcherIn(candidate, limitCommand(options)), patience);
    },
    signal,
  );
  const description = `Deno ${version}, ${describeJail(jail)}`;
  logger.info(`functions run in ${description}`);
  if (jail.level === 'none') {
    const risk =
      "FUNCTIONS RUN WITHOUT A JAIL: nothing but the permissions of Deno holds their code. Don't run code of others here";
    logger.warn(`${risk}. ${HOW_TO_GET}; with minJail the server refuses to start without one`);
  } else if (jail.level !== 'bwrap') logger.warn(`stronger jails are available. ${HOW_TO_GET}`);
  const doubts = [
    ...(tether.length > 0 ? [] : ['a killed server may leave functions running, as there is no setpriv']),
    ...(isLimited ? [] : ['memory outside the heap and CPU are not limited, as there is no prlimit']),
  ];
  for (const doubt of doubts) logger.warn(doubt);
  // The host counts the CPU of each run; a process that serves several is replaced before it has used up one limit.
  const cpuSeconds = isReused ? options.cpuSeconds * 2 : options.cpuSeconds;
  return {
    launcher: launcherIn(jail, limitCommand({ ...options, cpuSeconds }, idle)),
    usage: idle && { residentBytes: residentLimit(options, idle), cpuSeconds: options.cpuSeconds },
    jail: jail.level,
    description,
    doubts,
  };
}

function describeJail({ level, uid }: Jail): string {
  if (level === 'none') return 'in no jail';
  return `in the jail "${level}" as ${uid === undefined ? "the server's user" : `user ${uid}`}`;
}
