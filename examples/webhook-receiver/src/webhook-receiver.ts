// A receiver that prints its events: WEBHOOK_SECRET=whsec_… npm run example -- webhook-receiver [koa|express]
import type { WebhookEvent } from '@patchbay/client/webhooks';
import { expressReceiver } from './express-receiver.ts';
import { openInbox } from './inbox.ts';
import { koaReceiver } from './koa-receiver.ts';

const { WEBHOOK_SECRET: secret = '', PORT = '9000', INBOX = 'inbox.sqlite' } = process.env;
if (secret === '') throw new Error('set WEBHOOK_SECRET to what the creation of the webhook answered');

async function handle(event: WebhookEvent): Promise<void> {
  switch (event.type) {
    case 'execution.failed':
      console.log(`${event.data.executionId} ${event.data.status}: ${event.data.errorCode}`);
      break;
    case 'model.fallback':
      console.log(`${event.data.model} stood in for ${event.data.attempts.map(({ model }) => model).join(', ')}`);
      break;
    default:
      console.log(event.type, JSON.stringify(event.data));
  }
}

const inbox = openInbox(INBOX);
const options = {
  secret,
  receive(event: WebhookEvent): void {
    inbox.put(event);
    // After the response: a server does not wait long for one.
    void inbox.work(handle);
  },
};
const framework = process.argv.includes('express') ? 'express' : 'koa';
const app = framework === 'express' ? expressReceiver(options) : koaReceiver(options);
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  console.log(`${framework} listens on http://127.0.0.1:${port}/webhooks`);
});
// Events that the previous process received and did not handle.
await inbox.work(handle);
