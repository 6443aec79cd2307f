import { useConsole } from '../../frame/console-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookCreation } from './webhook-form.tsx';
import { WebhookList } from './webhook-list.tsx';

/** The webhooks of the tenant, one of them with its deliveries, or one delivery. */
export default function WebhooksScreen({ path: [id, delivery], query }: ScreenProps) {
  const { api } = useConsole();
  if (id === undefined || (id === 'new' && !api.may('createWebhook'))) return <WebhookList />;
  if (id === 'new') return <WebhookCreation />;
  if (delivery !== undefined) return <DeliveryDetail webhook={id} id={delivery} />;
  return <WebhookDetail id={id} state={query['state'] ?? ''} />;
}
