import type { Webhook, WebhookInput } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { TextField } from '../../parts/form.tsx';
import { inputOf, WebhookFields } from './webhook-form.tsx';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly revision: string;
  /** @param secret A new one. */
  readonly onChange: (secret?: string) => void;
}

const DAY_MS = 86_400_000;

export function WebhookActions({ webhook, revision, onChange }: WebhookActionsProps) {
  const { api, router } = useConsole();
  const path = { id: webhook.id };
  const { url, description, enabled } = webhook;
  const events = webhook.events as WebhookInput['events'];
  // A concurrent change is not overwritten.
  const headers = { 'If-Match': revision };
  const replace = async (body: WebhookInput): Promise<void> => {
    await api.call('replaceWebhook', { path, headers, body });
    onChange();
  };
  const rotate = async (): Promise<void> => onChange((await api.call('rotateWebhookSecret', { path })).secret);
  const test = async (): Promise<void> => {
    await api.call('testWebhook', { path });
    onChange();
  };
  const replay = async (since: string): Promise<void> => {
    await api.call('replayWebhook', { path, body: { since: new Date(since).toISOString() } });
    onChange();
  };
  const remove = async (): Promise<void> => {
    await api.call('deleteWebhook', { path, headers });
    router.go(linkTo(['webhooks']));
  };
  return (
    <>
      {enabled && <ActionButton title="Send a test event" done="A test event is on its way." run={test} />}
      {enabled && (
        <ActionButton
          title="Replay"
          done="Missed events are on their way, if there are any."
          run={({ since = '' }) => replay(since)}
        >
          <p>Sends every event that the webhook asks for and has not taken.</p>
          <TextField name="since" label="Since" type="datetime-local" required value={localTime(Date.now() - DAY_MS)} />
        </ActionButton>
      )}
      <ActionButton
        title="Edit"
        done="The webhook is changed."
        run={(values) => replace({ ...inputOf(values), enabled })}
      >
        <WebhookFields webhook={webhook} />
      </ActionButton>
      <ActionButton
        title={enabled ? 'Pause' : 'Enable'}
        done={enabled ? 'Events wait until the webhook is enabled.' : 'Events are sent.'}
        run={() => replace({ url, events, description, enabled: !enabled })}
      />
      <ActionButton title="Rotate the secret" done="The webhook has a new secret." run={rotate}>
        <p>For 24 hours, deliveries are signed with the old secret as well.</p>
      </ActionButton>
      <ActionButton title="Delete" done="The webhook is deleted." danger run={remove}>
        <p>Nothing is sent to it any more, also nothing that waits.</p>
      </ActionButton>
    </>
  );
}

/** In the format of an input of the type `datetime-local`. */
function localTime(ms: number): string {
  const date = new Date(ms);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 16);
}
