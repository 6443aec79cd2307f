import { backoffMs } from '@patchbay/contracts/base/clock';
import { intervalMs } from '@patchbay/contracts/base/interval';
import type { RequestContext } from '@patchbay/contracts/context';
import type { ExecutionLimits } from '@patchbay/contracts/executor';
import { type RunPolicy, repeatedStatuses } from '@patchbay/contracts/function-settings';
import type { ExecutionRow, ExecutionStatus, FunctionRow } from '@patchbay/contracts/rows';
import type { SettingsService } from '../../settings/settings-service.ts';

const LONGEST_BACKOFF_MS = 3_600_000;

/** The settings of a function that apply to its runs. Null if it has none. */
export async function policyOf(
  settings: Pick<SettingsService, 'resolve'>,
  source: FunctionRow,
  context: Pick<RequestContext, 'caller' | 'settingsLabel'>,
): Promise<RunPolicy | null> {
  const { retry, timeoutMs, memoryMb, concurrency, rateLimit, content } = (await settings.resolve(source, context))
    .settings;
  return notEmpty({
    ...(retry && { retry }),
    ...(timeoutMs && { timeoutMs }),
    ...(memoryMb && { memoryMb }),
    ...(concurrency && { concurrency }),
    ...(rateLimit && { rateLimit }),
    ...(content && { content }),
  });
}

/** The part that applies to an execution whose caller waits. Models have other timeouts. */
export function ofWaiting({ code }: Pick<FunctionRow, 'code'>, policy: RunPolicy | null): RunPolicy | null {
  if (policy === null || code !== '') return policy;
  const { rateLimit, content } = policy;
  return notEmpty({ ...(rateLimit && { rateLimit }), ...(content && { content }) });
}

const notEmpty = (policy: RunPolicy): RunPolicy | null => (Object.keys(policy).length > 0 ? policy : null);

/** The limits of a run: a function can only lower those of the config. */
export function limitsWithin(limits: ExecutionLimits, policy: RunPolicy | null): ExecutionLimits {
  const { timeoutMs = limits.wallMs, memoryMb } = policy ?? {};
  if (timeoutMs >= limits.wallMs && memoryMb === undefined) return limits;
  return { ...limits, wallMs: Math.min(timeoutMs, limits.wallMs), ...(memoryMb && { memoryMb }) };
}

/** The milliseconds until a run that ended this way is repeated. Undefined: it is not. */
export function repeatAfterMs(
  { policy, attempt }: Pick<ExecutionRow, 'policy' | 'attempt'>,
  status: ExecutionStatus,
): number | undefined {
  const { attempts = 1, backoff = '1s', on = repeatedStatuses } = policy?.retry ?? {};
  const made = attempt ?? 1;
  if (made >= attempts || !(on as readonly string[]).includes(status)) return undefined;
  return Math.min(LONGEST_BACKOFF_MS, (backoffMs(made, Number.POSITIVE_INFINITY) * intervalMs(backoff)) / 1_000);
}
