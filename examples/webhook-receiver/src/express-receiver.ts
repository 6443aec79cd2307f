import { verify, WebhookVerificationError } from '@patchbay/client/webhooks';
import express, { type Express } from 'express';
import type { ReceiverOptions } from './koa-receiver.ts';

/** `express.raw` leaves the body as it came. An `express.json()` before it would have consumed it. */
export function expressReceiver({ secret, receive }: ReceiverOptions): Express {
  const app = express();
  app.post('/webhooks', express.raw({ type: 'application/json', limit: '64kb' }), async (request, response) => {
    try {
      receive(await verify(request.body as Buffer, request.headers, secret));
      response.sendStatus(204);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      response.status(400).send(error.message);
    }
  });
  return app;
}
