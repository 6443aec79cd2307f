import { createWebhookSender, type WebhookSender, type WebhookSenderOptions } from './create-webhook-sender.ts';
import { SenderThread } from './sender-thread.ts';

/**
 * Messages per second that do not keep the main thread busy. The thread takes an eighth of the memory of an idle
 * server.
 */
const FEW_PER_SECOND = 50;

/**
 * A sender that moves its work to a thread once there is much of it: sending takes most of the CPU time of a delivery,
 * and API callers would wait for it. A server that sends little has no such thread, nor does one whose thread has
 * ended.
 */
export function createThreadedSender({
  settings,
  clock,
}: Pick<WebhookSenderOptions, 'settings' | 'clock'>): WebhookSender {
  const here = createWebhookSender({ settings, clock });
  const thread = new SenderThread(settings);
  let isMuch = false;
  let second = Number.NEGATIVE_INFINITY;
  let count = 0;
  const noteMessage = (): void => {
    const now = clock.monotonic();
    if (now - second >= 1_000) {
      second = now;
      count = 0;
    }
    count += 1;
    isMuch ||= count > FEW_PER_SECOND;
  };
  return {
    send(message) {
      if (!isMuch) noteMessage();
      return isMuch && !thread.isLost ? thread.send(message) : here.send(message);
    },
    close() {
      here.close();
      thread.end(new Error('the webhook sender is closed'));
    },
  };
}
