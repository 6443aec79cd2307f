import type { LoadedServerConfig } from '../../load-server-config.ts';
import type { Check } from './check.ts';

const ANSWER_MS = 5_000;
/** More, and tokens of OAuth servers are refused as not yet valid. */
const SKEW_MS = 5_000;

interface Reached {
  readonly check: Check;
  /** By how much the other clock is ahead of ours. */
  readonly aheadMs?: number;
}

/** Whether something answers where providers are. What is asked for costs nothing and needs no key; any answer is good. */
export async function checkProviders(
  { app }: Pick<LoadedServerConfig, 'app'>,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const mounts = Object.entries(app.providers ?? {});
  const reached = await Promise.all(mounts.map(([name, mount]) => reach(name, Object(mount.with) as object, signal)));
  return [...reached.map(({ check }) => check), clock(reached)];
}

async function reach(mount: string, options: object, signal: AbortSignal): Promise<Reached> {
  const name = `provider ${mount}`;
  const { apiKey, baseUrl } = options as { readonly apiKey?: unknown; readonly baseUrl?: unknown };
  if (apiKey === '') return { check: { name, status: 'skip', detail: 'is off: it has no key' } };
  if (typeof baseUrl !== 'string')
    return { check: { name, status: 'skip', detail: 'works without an address, or goes to the one it has built in' } };
  const { origin } = new URL(baseUrl);
  try {
    const init = {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    };
    const start = Date.now();
    const { headers } = await fetch(origin, init as RequestInit);
    const date = Date.parse(headers.get('date') ?? '');
    // Their clock tells whole seconds.
    const aheadMs = date + 500 - (start + Date.now()) / 2;
    return {
      check: { name, status: 'pass', detail: `${origin} answers; its key was not tried` },
      ...(!Number.isNaN(date) && { aheadMs }),
    };
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    const why = cause?.code ?? (error as Error).name;
    return { check: { name, status: 'fail', detail: `${origin} does not answer: ${why}` } };
  }
}

function clock(reached: readonly Reached[]): Check {
  const name = 'clock';
  const [aheadMs] = reached.flatMap((each) => each.aheadMs ?? []);
  if (aheadMs === undefined) return { name, status: 'skip', detail: 'nobody answered to compare it with' };
  if (Math.abs(aheadMs) <= SKEW_MS) return { name, status: 'pass', detail: 'agrees with that of a provider' };
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return { name, status: 'warn', detail: `is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of a provider` };
}
