import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '@patchbay/contracts/base/clock';
import { createWebhookSender, type SenderSettings } from './create-webhook-sender.ts';
import type { SenderAnswer, SenderRequests, ThreadMessage } from './sender-thread.ts';

// A thread that signs and sends messages: requests, TLS and responses would take turns of the event loop that API
// callers wait for.

// On Linux this is the priority of the thread, elsewhere of the whole process. If there are few cores, deliveries wait
// for the API.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

let settings: SenderSettings | undefined;
const sender = createWebhookSender({
  settings: () => {
    if (settings === undefined) throw new Error('the thread has received no settings');
    return settings;
  },
  clock: systemClock,
});
const sending = new Map<number, AbortController>();
let answers: SenderAnswer[] = [];

parentPort?.on('message', (requests: SenderRequests) => {
  settings = requests.settings;
  for (const message of requests.messages) void send(message);
  for (const number of requests.aborted) sending.get(number)?.abort();
});

async function send({ number, ...message }: ThreadMessage): Promise<void> {
  const controller = new AbortController();
  sending.set(number, controller);
  try {
    answer({ number, outcome: await sender.send({ ...message, signal: controller.signal }) });
  } catch (error) {
    answer({ number, error: String(error) });
  } finally {
    sending.delete(number);
  }
}

function answer(one: SenderAnswer): void {
  // Those of one turn of the event loop are sent together.
  if (answers.length === 0) setImmediate(post);
  answers.push(one);
}

function post(): void {
  parentPort?.postMessage(answers);
  answers = [];
}
