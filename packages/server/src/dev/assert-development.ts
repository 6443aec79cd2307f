import { BlockList, isIP } from 'node:net';
import { commandName } from '../cli/command-name.ts';
import { UsageError } from '../cli/usage-error.ts';

/**
 * @param ownKey The key that takes the place of the one that is made for developing.
 * @throws UsageError where a server with a key for developing would not stay on the machine of the developer.
 */
export function assertDevelopment(host: string, env: NodeJS.ProcessEnv, ownKey: string | undefined): void {
  if (env['NODE_ENV'] === 'production') {
    throw new UsageError(
      `"patchbay dev" is for developing, and NODE_ENV is production: use "${commandName(env)} serve"`,
    );
  }
  if (isLoopback(host) || ownKey !== undefined) return;
  const hint = 'listen on 127.0.0.1, or set PATCHBAY_BOOTSTRAP_KEY to a key of your own';
  throw new UsageError(`other machines may reach ${host}, and "patchbay dev" has a key that lies in a file: ${hint}`);
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
