import { verify, type WebhookEvent, WebhookVerificationError } from '@patchbay/client/webhooks';
import Koa from 'koa';

export interface ReceiverOptions {
  /** The secret from the response that created the webhook; both while it is being rotated. */
  readonly secret: string | readonly string[];
  /** Store an event. The delivery is acknowledged once this has returned. */
  readonly receive: (event: WebhookEvent) => void;
}

const MAX_BYTES = 64 * 1024;

/** Without a middleware that parses bodies: the signature is that of the bytes as they came. */
export function koaReceiver({ secret, receive }: ReceiverOptions): Koa {
  const app = new Koa();
  app.use(async (context) => {
    if (context.method !== 'POST' || context.path !== '/webhooks') return;
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of context.req as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MAX_BYTES) context.throw(413);
      pieces.push(piece);
    }
    try {
      receive(await verify(Buffer.concat(pieces), context.headers, secret));
      context.status = 204;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      context.status = 400;
      context.body = error.message;
    }
  });
  return app;
}
