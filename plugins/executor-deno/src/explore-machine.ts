import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Logger, PatchbayError } from '@patchbay/core/plugin';
import type { ExecutorConfig } from './config.ts';
import { askProgram } from './launch/ask-program.ts';
import { denoEnvironment } from './launch/deno-command.ts';
import { findJail, HOW_TO_GET, type Jail, type JailLevel, type JailPrograms } from './launch/jail.ts';
import { createLauncher, type Launcher, type LaunchHelper } from './launch/launch-helper.ts';
import { canLimit, limitCommand, measureIdle, type ResourceOptions, RunLimits } from './run/sandbox.ts';

const OLDEST_DENO = { major: 2, minor: 9 };
const TETHER = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/** The bootstrap as it is written: in many modules, and not translated by the build, so the same in `src` and in `dist`. */
export const bootstrapModules = fileURLToPath(new URL('./bootstrap/main.js', import.meta.url));

const bundling = [
  '--bundle',
  '--minify',
  '--format=esm',
  '--platform=neutral',
  '--target=esnext',
  '--charset=utf8',
  '--legal-comments=none',
  '--tsconfig-raw={}',
  '--log-level=silent',
];

export type MachineOptions = ResourceOptions & Pick<ExecutorConfig, 'jail' | 'minJail' | 'denoPath'>;

export interface MachineDependencies {
  readonly helper: LaunchHelper;
  /** For sockets, and for the module that Deno runs. */
  readonly folder: string;
  readonly programs: JailPrograms;
  readonly logger: Logger;
  /** A process may serve several runs: the kernel's count for one process then does not limit one run. */
  readonly isReused: boolean;
}

/** The capabilities of this machine. */
export interface Machine {
  readonly launcher: Launcher;
  /** Undefined if the platform does not report the usage of processes. */
  readonly limits: RunLimits | undefined;
  readonly jail: JailLevel;
  /** For operators: the Deno, the jail. */
  readonly description: string;
  /** For operators: what is missing. */
  readonly doubts: readonly string[];
}

const JAIL_TIMEOUT_MS = 5000;

/**
 * Find Deno, the strongest working jail, and the usage of an idle process.
 *
 * @throws PatchbayError `plugin_start_failed` if Deno is missing or too old, or no jail is strong enough.
 */
export async function exploreMachine(
  options: MachineOptions,
  { helper, folder, programs, logger, isReused }: MachineDependencies,
  signal: AbortSignal,
): Promise<Machine> {
  const deno = options.denoPath ?? findDeno();
  const { version, tether } = await checkDeno(deno, signal);
  const [bootstrap, isLimited] = await Promise.all([
    writeBootstrap(folder, signal),
    canLimit(limitCommand(options), signal),
  ]);
  const launcherIn = (jail: Jail, limits: readonly string[]): Launcher => {
    // In a jail, the tether is part of the jail.
    const prefix = [...(isLimited ? limits : []), ...(jail.level === 'none' ? tether : [])];
    return createLauncher({ helper, folder, deno, bootstrap, memoryMb: options.memoryMb, jail, prefix });
  };
  const { jail, value: idle } = await findJail(
    { deno, level: options.jail, least: options.minJail, programs },
    (candidate) => {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(JAIL_TIMEOUT_MS)]);
      return measureIdle(launcherIn(candidate, limitCommand(options)), candidate.uid, patience);
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
    limits: idle && new RunLimits(options, idle, jail.uid),
    jail: jail.level,
    description,
    doubts,
  };
}

function describeJail({ level, uid }: Jail): string {
  if (level === 'none') return 'in no jail';
  return `in the jail "${level}" as ${uid === undefined ? "the server's user" : `user ${uid}`}`;
}

/**
 * The program that npm's `deno` package brings for this platform. Its launcher is a Node process around the real one,
 * and its install script may not have run: neither is needed.
 *
 * @throws PatchbayError `plugin_start_failed` where the package has none for this platform.
 */
export function findDeno(): string {
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  try {
    const fromDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));
    const manifest = fromDeno.resolve(`@deno/${platform}/package.json`);
    return path.join(path.dirname(manifest), process.platform === 'win32' ? 'deno.exe' : 'deno');
  } catch (cause) {
    const message = `There is no Deno for ${platform}: install the npm package "deno", or set the option "denoPath"`;
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
}

/** A Deno that runs here. */
interface RunningDeno {
  readonly version: string;
  /**
   * A prefix for commands that makes the kernel kill the process when the host dies, and keeps it from ever gaining
   * privileges. Without it, a function in an endless loop would outlive a host that was killed. Empty where the system
   * has no `setpriv` (util-linux), as on macOS and Windows.
   */
  readonly tether: readonly string[];
}

/**
 * Ask a Deno for its version, on a tether where the system has one.
 *
 * @throws PatchbayError `plugin_start_failed` if it does not run, or has known vulnerabilities.
 */
async function checkDeno(deno: string, signal: AbortSignal): Promise<RunningDeno> {
  let cause: unknown;
  for (const tether of process.platform === 'linux' ? [TETHER, []] : [[]]) {
    const answer = await askProgram([...tether, deno, '--version'], { env: denoEnvironment, signal });
    cause = answer.cause;
    const [, version, major, minor] = /^deno ((\d+)\.(\d+)\.\d+)/u.exec(answer.text) ?? [];
    if (answer.failed || version === undefined) continue;
    const isSameMajor = Number(major) === OLDEST_DENO.major;
    const isOld = isSameMajor ? Number(minor) < OLDEST_DENO.minor : Number(major) < OLDEST_DENO.major;
    if (!isOld) return { version, tether };
    const message = `Deno ${OLDEST_DENO.major}.${OLDEST_DENO.minor} or newer is needed, and ${deno} is ${version}`;
    throw new PatchbayError('plugin_start_failed', message);
  }
  throw new PatchbayError('plugin_start_failed', `Deno does not run: ${deno}`, { cause });
}

/**
 * Write the bootstrap as one module, in its own folder.
 *
 * Deno needs a fifth less CPU to start with one small module than with fifteen, and there are no modules left that code could
 * import from it.
 *
 * @returns Its path; every user may read it.
 * @throws PatchbayError `plugin_start_failed` where esbuild does not run.
 */
export async function writeBootstrap(folder: string, signal: AbortSignal): Promise<string> {
  const file = path.join(folder, 'bootstrap', 'main.js');
  const command = [findEsbuild(), bootstrapModules, `--outfile=${file}`, ...bundling];
  const { failed, cause } = await askProgram(command, { env: {}, signal });
  if (failed) {
    const message = 'esbuild does not run: install @patchbay/executor-deno with its optional dependencies';
    throw new PatchbayError('plugin_start_failed', message, { cause });
  }
  // Whatever the umask of the host is.
  await chmod(path.dirname(file), 0o755);
  await chmod(file, 0o444);
  return file;
}

/** The program that esbuild starts from JavaScript, without the two processes in which that runs. Where there is none, starting it fails. */
function findEsbuild(): string {
  const { platform, arch } = process;
  const program = `@esbuild/${platform}-${arch}/${platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild'}`;
  try {
    return createRequire(createRequire(import.meta.url).resolve('esbuild')).resolve(program);
  } catch {
    return program;
  }
}
