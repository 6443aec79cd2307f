import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { answerOf } from './delivery-list.tsx';
import { DeliveryState } from './webhook-state.tsx';

/** One event on its way to one receiver, attempt by attempt. */
export function DeliveryDetail({ webhook, id }: { readonly webhook: string; readonly id: string }) {
  const { api } = useConsole();
  const path = { id: webhook, deliveryId: id };
  const { data, error, reload } = useLoad((signal) => api.call('getWebhookDelivery', { path, signal }), [webhook, id]);
  const retry = async (): Promise<void> => {
    await api.call('retryWebhookDelivery', { path });
    reload();
  };
  return (
    <Page
      title={data?.eventType ?? id}
      trail={[
        { title: 'Webhooks', href: linkTo(['webhooks']) },
        { title: 'Deliveries', href: linkTo(['webhooks', webhook]) },
      ]}
      actions={
        <>
          <button type="button" onClick={reload}>
            Reload
          </button>
          {data && api.may('retryWebhookDelivery') && (
            <ActionButton title="Send again" done="The event is on its way." run={retry} />
          )}
        </>
      }
    >
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {data && (
        <Facts
          facts={[
            ['State', <DeliveryState key="state" {...data} />],
            ['Event', <code key="event">{data.eventId}</code>],
            ['Created', <Time key="created" at={data.createdAt} />],
            ['Ended', data.completedAt && <Time key="ended" at={data.completedAt} />],
            ['Next attempt', data.nextAttemptAt && <Time key="next" at={data.nextAttemptAt} />],
            ['Attempts', data.attempts],
          ]}
        />
      )}
      {data?.log.map((attempt) => (
        <section key={attempt.at}>
          <h2>
            <Time at={attempt.at} />: {answerOf(attempt)}
          </h2>
          {attempt.response !== '' && <pre>{attempt.response}</pre>}
        </section>
      ))}
    </Page>
  );
}
