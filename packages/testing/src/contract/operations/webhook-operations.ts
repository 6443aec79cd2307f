import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiSuite } from '../api-under-test.ts';
import { assertDeletion, assertMembers, assertProblem, type Row, rowsOf, timestamp } from '../expect-answer.ts';

const missing = '/webhooks/webhook_00000000000000000000000000';

interface DeliveredEvent {
  readonly id: unknown;
  readonly signature: unknown;
  readonly type: unknown;
}

interface Receiver {
  readonly url: string;
  /** Resolves with the next event that is delivered. */
  nextEvent(): Promise<DeliveredEvent>;
}

/** A receiver of webhooks on 127.0.0.1 that accepts everything, for as long as a test uses it. */
async function withReceiver(use: (receiver: Receiver) => Promise<void>): Promise<void> {
  const events = new EventEmitter<{ event: [DeliveredEvent] }>();
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      response.writeHead(204).end();
      const { 'webhook-id': id, 'webhook-signature': signature } = request.headers;
      const { type } = JSON.parse(Buffer.concat(chunks).toString()) as Row;
      events.emit('event', { id, signature, type });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await use({
      url: `http://127.0.0.1:${port}/hooks`,
      nextEvent: async () => (await once(events, 'event'))[0] as DeliveredEvent,
    });
  } finally {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

const inputFor = ({ url }: Receiver) => ({ url, events: ['function.created'], description: 'Reviews new functions' });

/** Make a webhook, and delete it when the test is done. */
function withWebhook(
  api: ApiClient,
  use: (path: string, made: Row, receiver: Receiver) => Promise<void>,
): Promise<void> {
  return withReceiver(async (receiver) => {
    const { status, body, text } = await api.ask('POST', '/webhooks', { body: inputFor(receiver) });
    assert.equal(status, 201, text);
    const path = `/webhooks/${String(body['id'])}`;
    try {
      await use(path, body, receiver);
    } finally {
      await api.ask('DELETE', path);
    }
  });
}

export function webhookOperations(suite: ApiSuite): void {
  suite.describe('webhooks', () => {
    storedWebhooks(suite);
    deliveries(suite);
  });
}

function storedWebhooks({ it }: ApiSuite): void {
  it('createWebhook responds with the secret of its signatures', async (api) => {
    const wrong = await api.ask('POST', '/webhooks', { body: { url: 'ftp://acme.example', events: ['*'] } });
    assertProblem(wrong, 400, 'invalid_request', '/url');
    await withReceiver(async (receiver) => {
      const { status, headers, body } = await api.ask('POST', '/webhooks', { body: inputFor(receiver) });
      assert.equal(status, 201);
      assertMembers(body, { ...inputFor(receiver), enabled: true, disabledReason: null });
      assert.match(String(body['secret']), /^whsec_/);
      assertDeletion(await api.ask('DELETE', api.within(headers.get('location'))));
    });
  });

  it('listWebhooks responds with a page of webhooks, without their secrets', async (api) => {
    assertProblem(await api.ask('GET', '/webhooks?limit=0'), 400, 'invalid_request', '?limit');
    await withWebhook(api, async (_path, { secret, ...shown }) => {
      const page = await api.ask('GET', '/webhooks');
      assert.deepEqual(rowsOf(page)[0], shown);
      assert.ok(!page.text.includes(String(secret)));
    });
  });

  it('getWebhook responds with the webhook, or 304 to those who have it', async (api) => {
    assertProblem(await api.ask('GET', missing), 404, 'webhook_not_found');
    await withWebhook(api, async (path, { secret, ...shown }) => {
      const { status, headers, body, text } = await api.ask('GET', path);
      assert.equal(status, 200);
      assert.deepEqual(body, shown);
      assert.ok(!text.includes(String(secret)));
      const again = await api.ask('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      assert.equal(again.status, 304);
    });
  });

  it('replaceWebhook disables it where the body says so', async (api) => {
    await withWebhook(api, async (path, { id, createdAt }, receiver) => {
      const wrong = await api.ask('PUT', path, { body: { ...inputFor(receiver), events: [] } });
      assertProblem(wrong, 400, 'invalid_request', '/events');
      const { status, body } = await api.ask('PUT', path, { body: { ...inputFor(receiver), enabled: false } });
      assert.equal(status, 200);
      assertMembers(body, { id, createdAt, enabled: false });
      assert.match(String(body['disabledAt']), timestamp);
      assertProblem(await api.ask('POST', `${path}/test`), 409, 'webhook_disabled');
    });
  });

  it('deleteWebhook removes it', async (api) => {
    await withWebhook(api, async (path) => {
      assertDeletion(await api.ask('DELETE', path));
      assertProblem(await api.ask('DELETE', path), 404, 'webhook_not_found');
    });
  });

  it('rotateWebhookSecret responds with another secret', async (api) => {
    assertProblem(await api.ask('POST', `${missing}/rotate-secret`), 404, 'webhook_not_found');
    await withWebhook(api, async (path, { id, secret }) => {
      const { status, body } = await api.ask('POST', `${path}/rotate-secret`);
      assert.equal(status, 200);
      assert.equal(body['id'], id);
      assert.match(String(body['secret']), /^whsec_/);
      assert.notEqual(body['secret'], secret);
      assert.match(String(body['previousUntil']), timestamp);
    });
  });
}

function deliveries({ it }: ApiSuite): void {
  /** Send a test event and wait until its delivery is recorded. */
  const delivered = async (api: ApiClient, path: string, receiver: Receiver): Promise<Row> => {
    const next = receiver.nextEvent();
    assert.equal((await api.ask('POST', `${path}/test`)).status, 202);
    await next;
    // The receiver has been called; the server records its response afterwards.
    for (;;) {
      const [row] = rowsOf(await api.ask('GET', `${path}/deliveries?state=delivered`));
      if (row !== undefined) return row;
      await delay(10);
    }
  };

  it('testWebhook sends a signed event of its own kind', async (api) => {
    assertProblem(await api.ask('POST', `${missing}/test`), 404, 'webhook_not_found');
    await withWebhook(api, async (path, { id: webhookId }, receiver) => {
      const next = receiver.nextEvent();
      const { status, body } = await api.ask('POST', `${path}/test`);
      assert.equal(status, 202);
      assertMembers(body, { webhookId, eventType: 'webhook.test', state: 'waiting', attempts: 0 });
      const { id, signature, type } = await next;
      assert.deepEqual([id, type], [body['eventId'], 'webhook.test']);
      assert.match(String(signature), /^v1,/);
    });
  });

  it('listWebhookDeliveries responds with the attempts of each', async (api) => {
    assertProblem(await api.ask('GET', `${missing}/deliveries`), 404, 'webhook_not_found');
    await withWebhook(api, async (path, { id: webhookId }, receiver) => {
      const row = await delivered(api, path, receiver);
      assert.deepEqual(rowsOf(await api.ask('GET', `${path}/deliveries`)), [row]);
      assertMembers(row, { webhookId, eventType: 'webhook.test', state: 'delivered', attempts: 1 });
      assertMembers((row['log'] as readonly Row[])[0] ?? {}, { status: 204, failure: null });
    });
  });

  it('getWebhookDelivery responds with one of them', async (api) => {
    await withWebhook(api, async (path, _made, receiver) => {
      assertProblem(await api.ask('GET', `${path}/deliveries/delivery_0`), 404, 'delivery_not_found');
      const row = await delivered(api, path, receiver);
      const place = `/deliveries/${String(row['id'])}`;
      const { status, body } = await api.ask('GET', path + place);
      assert.deepEqual([status, body], [200, row]);
      assertProblem(await api.ask('GET', missing + place), 404, 'webhook_not_found');
    });
  });

  it('retryWebhookDelivery sends the same event again', async (api) => {
    await withWebhook(api, async (path, _made, receiver) => {
      const nothing = await api.ask('POST', `${path}/deliveries/delivery_0/retry`);
      assertProblem(nothing, 404, 'delivery_not_found');
      const { id, eventId } = await delivered(api, path, receiver);
      const next = receiver.nextEvent();
      const { status, body } = await api.ask('POST', `${path}/deliveries/${String(id)}/retry`);
      assert.equal(status, 202);
      assertMembers(body, { id, eventId, state: 'waiting', attempts: 1 });
      assert.equal((await next).id, eventId);
    });
  });

  it('replayWebhook sends what the webhook has missed since a time', async (api) => {
    await withWebhook(api, async (path) => {
      const wrong = await api.ask('POST', `${path}/replay`, { body: { since: 'yesterday' } });
      assertProblem(wrong, 400, 'invalid_request', '/since');
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const { status, body } = await api.ask('POST', `${path}/replay`, { body: { since } });
      assert.equal(status, 202);
      assert.equal(body['since'], since);
      assert.ok(String(body['until']) > since);
    });
  });
}
