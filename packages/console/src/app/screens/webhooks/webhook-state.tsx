import type { Webhook, WebhookDelivery } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';

const reasons = { gone: 'the receiver is gone', failing: 'every attempt failed' } as const;

/** Whether events are sent, as a word. */
export function WebhookState({ enabled, disabledReason }: Pick<Webhook, 'enabled' | 'disabledReason'>) {
  if (enabled) return <Badge kind="good">enabled</Badge>;
  return disabledReason === null ? <Badge>paused</Badge> : <Badge kind="bad">{reasons[disabledReason]}</Badge>;
}

const kinds = { waiting: 'warn', delivered: 'good', failed: 'bad' } as const;

export function DeliveryState({ state }: Pick<WebhookDelivery, 'state'>) {
  return <Badge kind={kinds[state]}>{state}</Badge>;
}
