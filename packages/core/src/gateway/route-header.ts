import type { FailedAttempt } from './attempt.ts';
import type { Plan } from './plan.ts';

/**
 * How a model was chosen, as the value of `Patchbay-Route`: a structured field (RFC 9651) such as
 * `auto;candidates=4;reason="…"` or `named;failed="openai/gpt-5 provider_error"`.
 */
export function routeHeader(plan: Plan, model: string, failed: readonly FailedAttempt[]): string {
  const parts = [plan.automatic ? 'auto' : 'named'];
  if (plan.automatic) parts.push(`candidates=${plan.models.length}`);
  const reason = plan.ranked.find(({ id }) => id === model)?.reason;
  if (reason) parts.push(`reason=${quoted(reason)}`);
  if (failed.length > 0) parts.push(`failed=${quoted(failed.map((each) => `${each.model} ${each.code}`).join(', '))}`);
  return parts.join(';');
}

const quoted = (text: string): string => `"${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`;
