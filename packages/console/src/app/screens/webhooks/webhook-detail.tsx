import { useSignal } from '@preact/signals';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { KeyName } from '../../parts/key-name.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Time } from '../../parts/time.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookState } from './webhook-state.tsx';

/** A webhook, what can be done with it, and its deliveries. */
export function WebhookDetail({ id, state }: { readonly id: string; readonly state: string }) {
  const { api } = useConsole();
  const secret = useSignal<string | undefined>(undefined);
  const round = useSignal(0);
  const { data, error, reload } = useLoad((signal) => api.read('getWebhook', { path: { id }, signal }), [id]);
  const webhook = data?.data;
  const onChange = (newSecret?: string): void => {
    if (newSecret !== undefined) secret.value = newSecret;
    round.value += 1;
    reload();
  };
  return (
    <Page
      title={webhook?.url ?? id}
      trail={[{ title: 'Webhooks', href: linkTo(['webhooks']) }]}
      actions={
        <>
          <button type="button" onClick={() => onChange()}>
            Reload
          </button>
          {webhook && api.may('replaceWebhook') && (
            <WebhookActions webhook={webhook} revision={data.headers.get('etag') ?? ''} onChange={onChange} />
          )}
        </>
      }
    >
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {secret.value !== undefined && <SecretOnce label="New signing secret" secret={secret.value} />}
      {webhook && (
        <Facts
          facts={[
            ['State', <WebhookState key="state" {...webhook} />],
            ['Since', webhook.disabledAt && <Time key="since" at={webhook.disabledAt} />],
            ['Events', webhook.events.join(', ')],
            ['Description', webhook.description],
            ['Created', <Time key="created" at={webhook.createdAt} />],
            ['Created by', <KeyName key="by" id={webhook.createdBy} />],
            [
              'Signed with the old secret until',
              webhook.previousUntil && <Time key="old" at={webhook.previousUntil} />,
            ],
          ]}
        />
      )}
      <DeliveryList webhook={id} state={state} round={round.value} />
    </Page>
  );
}
