import { Worker } from 'node:worker_threads';
import type { SenderSettings, WebhookMessage } from './create-webhook-sender.ts';
import type { SendOutcome } from './send-outcome.ts';

export type ThreadMessage = Omit<WebhookMessage, 'signal'> & { readonly number: number };

/** The requests of one turn of the event loop. */
export interface SenderRequests {
  /** The settings of these messages. */
  readonly settings: SenderSettings;
  readonly messages: readonly ThreadMessage[];
  /** Numbers of messages that are no longer wanted. */
  readonly aborted: readonly number[];
}

export type SenderAnswer = { readonly number: number } & (
  | { readonly outcome: SendOutcome }
  | { readonly error: string }
);

interface Waiting {
  readonly resolve: (outcome: SendOutcome) => void;
  readonly reject: (error: unknown) => void;
}

// The files of a package have the same extension: sources run as they are in tests.
const isSource = import.meta.url.endsWith('.ts');

/** A thread that sends webhooks, started by its first message. A thread that ends by itself is not restarted. */
export class SenderThread {
  readonly #settings: () => SenderSettings;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #messages: ThreadMessage[] = [];
  #aborted: number[] = [];
  #isPosting = false;
  #numbers = 0;
  #isLost = false;

  constructor(settings: () => SenderSettings) {
    this.#settings = settings;
  }

  /** It has ended, or could not be started. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** @throws the reason of the signal, or that the thread has ended: then the message may have been sent. */
  async send({ signal, ...message }: WebhookMessage): Promise<SendOutcome> {
    signal.throwIfAborted();
    const worker = this.#started();
    const number = this.#numbers++;
    const { promise, resolve, reject } = Promise.withResolvers<SendOutcome>();
    const onAbort = (): void => {
      this.#aborted.push(number);
      this.#postSoon();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(number, { resolve, reject });
    // The thread alone does not keep the process alive, but messages that wait for it do.
    if (this.#waiting.size === 1) worker.ref();
    this.#messages.push({ ...message, number });
    this.#postSoon();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) worker.unref();
    }
  }

  /** End the thread, with all its connections. Messages that are being sent reject with the reason. */
  end(reason: Error): void {
    this.#lose(reason);
    this.#worker?.terminate().catch(() => undefined);
  }

  /** @throws if threads are not permitted. */
  #started(): Worker {
    try {
      this.#worker ??= this.#start();
      return this.#worker;
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./sender-thread-main.${isSource ? 'ts' : 'js'}`, import.meta.url), {
      name: 'webhooks',
      // Default: those of the process, such as TLS options.
      ...(isSource && { execArgv: ['--conditions=source'] }),
    });
    worker.on('message', (answers: readonly SenderAnswer[]) => this.#receive(answers));
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', (code) => this.#lose(new Error(`the thread that sends webhooks ended with ${code}`)));
    worker.unref();
    return worker;
  }

  #postSoon(): void {
    if (this.#isPosting) return;
    this.#isPosting = true;
    setImmediate(() => {
      this.#isPosting = false;
      const requests: SenderRequests = {
        settings: this.#settings(),
        messages: this.#messages,
        aborted: this.#aborted,
      };
      this.#messages = [];
      this.#aborted = [];
      this.#worker?.postMessage(requests);
    });
  }

  #receive(answers: readonly SenderAnswer[]): void {
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.number);
      if ('outcome' in answer) waiting?.resolve(answer.outcome);
      else waiting?.reject(new Error(answer.error));
    }
  }

  #lose(cause: unknown): void {
    this.#isLost = true;
    for (const { reject } of this.#waiting.values()) reject(cause);
  }
}
