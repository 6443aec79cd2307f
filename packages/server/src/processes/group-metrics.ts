import type { Worker } from 'node:cluster';
import { mergeMetrics } from './merge-metrics.ts';
import type { FromMember, ToMember } from './messages.ts';

/** A member that does not respond within this time is counted as it was before. */
const PATIENCE_MS = 1_000;

/** Metrics of the members of a group, for the member that receives a request for those of the server. */
export class GroupMetrics {
  /** The latest metrics of each member. */
  readonly #texts = new Map<Worker, string>();
  readonly #waiting = new Map<Worker, () => void>();
  /** Members that have ended, so that counters of the server never decrease by their past values. */
  #ended = '';

  receive(
    member: Worker,
    message: Exclude<FromMember, { readonly kind: 'listening' }>,
    members: ReadonlySet<Worker>,
  ): void {
    this.#texts.set(member, message.text);
    if (message.kind === 'metrics') this.#waiting.get(member)?.();
    else void this.#collect(member, message.id, members);
  }

  end(member: Worker): void {
    this.#ended = mergeMetrics([], [this.#ended, this.#texts.get(member) ?? '']);
    this.#texts.delete(member);
    this.#waiting.get(member)?.();
  }

  async #collect(member: Worker, id: number, members: ReadonlySet<Worker>): Promise<void> {
    const others = [...members].filter((each) => each !== member);
    await Promise.all(others.map(async (each) => await this.#read(each)));
    const running = others.map((each) => this.#texts.get(each) ?? '');
    send(member, { kind: 'collected', id, running, ended: this.#ended });
  }

  #read(member: Worker): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), PATIENCE_MS);
      const earlier = this.#waiting.get(member);
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(member);
        earlier?.();
        resolve();
      };
      this.#waiting.set(member, done);
      send(member, { kind: 'read-metrics' });
    });
  }
}

/** A member that is ending accepts no messages; its end is reported on its own. */
export function send(member: Worker, message: ToMember): void {
  if (member.isConnected()) member.send(message, () => undefined);
}
