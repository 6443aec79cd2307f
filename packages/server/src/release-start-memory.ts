import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collect what the start has left: some 40 MB of sources, syntax trees and closures that nobody needs again. A server
 * that nobody asks would keep them for ever, because V8 collects only when something is allocated. Nothing else runs for
 * some 50 ms, so this is for a moment after the start.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // The flavor makes V8 give the pages back at once; where it is not known it is ignored.
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}
