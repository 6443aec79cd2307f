import { PatchbayError } from '../contracts/errors.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import type { RequestLimits } from './request-limits.ts';

/** Limits, each refusal of which is counted. */
export function measuredLimits(limits: RequestLimits, { count }: Pick<Measuring, 'count'>): RequestLimits {
  return {
    async admit(caller, operationClass) {
      const admission = await limits.admit(caller, operationClass);
      if (admission.refusal) countRefusal(admission.refusal, count);
      return admission;
    },
    enter(caller, operationClass) {
      try {
        return limits.enter(caller, operationClass);
      } catch (error) {
        countRefusal(error, count);
        throw error;
      }
    },
    wait: (caller, operationClass, signal, parent) => limits.wait(caller, operationClass, signal, parent),
  };
}

/** Count what was refused because of a limit of ours; nothing for other failures. */
export function countRefusal(error: unknown, count: Measuring['count']): void {
  if (!PatchbayError.is(error)) return;
  const { code, extensions } = error;
  const violated = extensions['violated-policies'];
  const policies = Array.isArray(violated) && violated.length > 0 ? violated.map(String) : [''];
  for (const policy of policies) count('patchbay.limit.refusals', 1, { code, policy });
}
