import { nodeVersionFault } from '@patchbay/core/node-version';
import { assertCanListen } from '../../assert-can-listen.ts';
import { describeFailure } from '../../failure-text.ts';
import type { ServerConfig } from '../../server-config.ts';
import type { Check } from './check.ts';

export function checkMachine(): Check {
  const { versions, platform, arch } = process;
  const fault = nodeVersionFault(versions.node);
  if (fault !== undefined) return { name: 'node', status: 'fail', detail: fault };
  return { name: 'node', status: 'pass', detail: `${versions.node} on ${platform} ${arch}` };
}

const ANSWER_MS = 2_000;

/** Whether a server could listen, or one of ours does already. */
export async function checkPort(
  { host, port }: Pick<ServerConfig, 'host' | 'port'>,
  signal: AbortSignal,
): Promise<Check> {
  const name = 'port';
  try {
    await assertCanListen(port, host);
    return { name, status: 'pass', detail: `${host}:${port} is free` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
    const answer =
      code === 'EADDRINUSE'
        ? await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) }).catch(() => undefined)
        : undefined;
    if (answer?.headers.has('patchbay-version')) {
      return { name, status: 'pass', detail: `a Patchbay server listens on ${host}:${port}` };
    }
    return { name, status: 'fail', detail: describeFailure(error).text };
  }
}
