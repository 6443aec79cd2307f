import type { AuditLog } from '../audit/audit-log.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Measuring } from '../telemetry/measuring.ts';
import { createGroupCommit, createLaneNotifier, createThrottle } from '../webhooks/lane-dependencies.ts';
import { createThreadedSender } from '../webhooks/sending/create-threaded-sender.ts';
import type { WebhookSender } from '../webhooks/sending/create-webhook-sender.ts';
import { createWebhookDispatcher } from '../webhooks/webhook-dispatcher.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import { createWebhookService } from '../webhooks/webhook-service.ts';
import type { Platform } from './platform.ts';

/** Milliseconds in which deliveries are collected for one commit. */
const SETTLE_MS = 50;

/** @param options Those in force. */
export function composeWebhooks(
  { storage, queue, clock, logger, measuring, rootSecret }: Platform,
  audit: AuditLog,
  cursors: CursorCodec,
  options: () => WebhookOptions,
) {
  const box = createSecretBox(rootSecret);
  const sender = measuredSender(createThreadedSender({ settings: () => senderSettings(options()), clock }), measuring);
  const dispatcher = createWebhookDispatcher({
    storage,
    queue,
    clock,
    logger,
    audit,
    box,
    sender,
    notifier: createLaneNotifier(),
    throttle: createThrottle(() => options().maxPerSecond, clock),
    groupCommit: createGroupCommit(SETTLE_MS),
    random: Math.random,
    keepDays: () => options().keepDays,
  });
  return {
    service: createWebhookService({ storage, queue, audit, cursors, clock, box, options }),
    dispatcher: {
      ...dispatcher,
      async stop(graceMs: number) {
        await dispatcher.stop(graceMs);
        sender.close();
      },
    },
  };
}

function senderSettings({ ports, allow, timeoutMs }: WebhookOptions) {
  return { policy: { ports, allow }, limits: { answerMs: timeoutMs, totalMs: timeoutMs } };
}

function measuredSender(sender: WebhookSender, { record, span, outgoing }: Measuring): WebhookSender {
  return {
    close: () => sender.close(),
    send: (message) =>
      span('POST webhook', { 'http.request.method': 'POST', 'patchbay.event.id': message.id }, async (own) => {
        const trace = outgoing?.('webhooks');
        const outcome = await sender.send(trace === undefined ? message : { ...message, trace });
        const { kind, durationMs, status } = outcome;
        record('patchbay.webhook.delivery.duration', durationMs / 1_000, { outcome: kind });
        if (status !== undefined) own.set({ 'http.response.status_code': status });
        if (kind !== 'delivered') own.set({ 'error.type': kind === 'gone' ? 'gone' : outcome.failure });
        return outcome;
      }),
  };
}
