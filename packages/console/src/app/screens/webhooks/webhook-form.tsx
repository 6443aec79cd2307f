import { useSignal } from '@preact/signals';
import { lists, type NewWebhook, type Webhook, type WebhookInput } from '../../api/operations.generated.ts';
import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { CheckList, Form, type FormValues, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

/** Creates a webhook, and shows its secret. */
export function WebhookCreation() {
  const { api } = useConsole();
  const made = useSignal<NewWebhook | undefined>(undefined);
  const trail = [{ title: 'Webhooks', href: linkTo(['webhooks']) }];
  const create = async (values: FormValues): Promise<void> => {
    made.value = await api.call('createWebhook', { body: inputOf(values) });
  };
  if (made.value === undefined) {
    return (
      <Page title="Create a webhook" trail={trail}>
        <Form submit="Create the webhook" onSubmit={create}>
          <WebhookFields />
        </Form>
      </Page>
    );
  }
  return (
    <Page title={made.value.url} trail={trail}>
      <SecretOnce label="Signing secret" secret={made.value.secret} />
      <p>
        <a href={linkTo(['webhooks', made.value.id])}>Send a test event</a>
      </p>
    </Page>
  );
}

export function WebhookFields({ webhook }: { readonly webhook?: Webhook }) {
  return (
    <>
      <TextField
        name="url"
        label="URL"
        type="url"
        required
        value={webhook?.url ?? ''}
        placeholder="https://example.com/events"
      />
      <CheckList
        name="events"
        label="Events"
        hint="* is every event, also of kinds that are added later."
        options={lists.eventKinds}
        checked={webhook?.events ?? []}
      />
      <TextField name="description" label="Description" value={webhook?.description ?? ''} />
    </>
  );
}

export function inputOf({ url = '', events = '', description = '' }: FormValues): WebhookInput {
  return { url, events: events.split(' ').filter(Boolean) as WebhookInput['events'], description };
}
