import type { Logger } from '@patchbay/core/plugin';
import { askProgram } from '../launch/ask-program.ts';
import type { Command } from '../launch/deno-command.ts';
import { createJail, type Jail, type JailLevel, type JailPrograms, jailLevels, usersFor } from '../launch/jail.ts';

/** Wraps the command of a helper in a jail. */
export type EnterJail = (command: Command) => Command;

interface HelperJailDemands {
  /** The jail of functions. */
  readonly level: JailLevel;
  readonly programs: JailPrograms;
  /** Files that the helpers read: a user that cannot read them is unsuitable. */
  readonly files: readonly string[];
  readonly logger: Logger;
}

const PROBE_MS = 5_000;
const READ = 'for (const file of process.argv.slice(1)) require("node:fs").accessSync(file, 4)';

/**
 * The best jail for the helpers that look at what authors wrote: no network, another user, no privileges. Not above that
 * of functions, and `unshare` at most: an empty root folder, as `bwrap` gives it, would lack Node and the compiler.
 *
 * As with functions, whether a jail works is determined by trying it; helpers work without one as well.
 */
export async function findHelperJail(
  { level, programs, files, logger }: HelperJailDemands,
  signal: AbortSignal,
): Promise<EnterJail> {
  const highest = Math.min(jailLevels.indexOf(level), jailLevels.indexOf('unshare'));
  for (const name of jailLevels.slice(1, highest + 1).toReversed()) {
    for (const uid of usersFor(name)) {
      const enter = entering(createJail(name, { uid, libraries: [], programs }));
      if (await works(enter, files, signal)) return enter;
    }
  }
  if (level !== 'none') logger.warn('source code is checked and bundled without a jail: no jail works here for Node');
  return (command) => command;
}

const entering =
  (jail: Jail): EnterJail =>
  (command) =>
    jail.enter(NO_PLACES, () => command);

/** These are for Deno. */
const NO_PLACES = { deno: '', bootstrap: '', socketPath: '' };

async function works(enter: EnterJail, files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const command = enter({ file: process.execPath, arguments: ['--eval', READ, ...files] });
  const { failed } = await askProgram([command.file, ...command.arguments], { env: {}, timeout: PROBE_MS, signal });
  signal.throwIfAborted();
  return !failed;
}
