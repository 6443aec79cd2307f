import type { Examples } from '../example.ts';
import type { ExampleServer } from '../example-server.ts';

/** @param server One that allows a single webhook. */
export async function webhookExamples({ refused, done }: ExampleServer): Promise<Examples> {
  const webhook = { url: 'https://acme.example/hooks', events: ['function.created'] };
  const { id } = await done('POST', '/webhooks', { ...webhook, enabled: false });
  return {
    webhook_not_found: await refused('GET', '/webhooks/webhook_01m7ywmcfpf69vwvph88jyb0cr'),
    delivery_not_found: await refused(
      'POST',
      `/webhooks/${String(id)}/deliveries/delivery_01m7ywmcfpf69vwvph88jyb0cr/retry`,
    ),
    webhook_disabled: await refused('POST', `/webhooks/${String(id)}/test`),
    webhook_limit_reached: await refused('POST', '/webhooks', { body: webhook }),
  };
}
