import { closeSync, openSync } from 'node:fs';
import type { ConfigReloader } from './config-reloader.ts';

/**
 * Reload at every SIGHUP from now on. One that comes before there is something to reload is not lost, and ends nothing.
 *
 * @returns takes what is to be reloaded.
 */
export function reloadOnHangup(): (reloader: ConfigReloader) => void {
  const startedAtTerminal = hasTerminal();
  let target: ConfigReloader | undefined;
  let isWanted = false;
  process.on('SIGHUP', () => {
    // The terminal was closed: nobody asks for a reload then, and whoever started the server expects it to end.
    if (startedAtTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM');
    else if (target === undefined) isWanted = true;
    else void target.reload();
  });
  return (reloader) => {
    target = reloader;
    if (isWanted) void reloader.reload();
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
