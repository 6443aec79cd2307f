import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PatchbayError } from '@patchbay/core/plugin';
import type { ConfigReloader } from '../config-reloader.ts';
import type { ServerLogger } from '../logger.ts';
import type { Stoppable } from '../signals.ts';
import { memberEnvironment } from './group-member.ts';
import { GroupMetrics, send } from './group-metrics.ts';
import type { FromMember } from './messages.ts';

/** A process that has run this long did not fail because of its start. */
const STEADY_MS = 10_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

interface GroupOptions {
  readonly count: number;
  readonly logger: ServerLogger;
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Serve one port with several processes: this one starts them, replaces those that end, and passes signals on. The first member
 * starts alone, since it migrates the storage and makes the first key.
 *
 * @throws PatchbayError `plugin_start_failed` if a member cannot start; it has logged why.
 */
export async function startGroup(options: GroupOptions): Promise<Stoppable & ConfigReloader> {
  const group = new ProcessGroup(options);
  await group.start();
  return group;
}

class ProcessGroup implements Stoppable, ConfigReloader {
  readonly #count: number;
  readonly #logger: ServerLogger;
  readonly #cancelled: AbortSignal | undefined;
  readonly #members = new Set<Worker>();
  /** Members that were asked to end. */
  readonly #leaving = new Set<Worker>();
  readonly #metrics = new GroupMetrics();
  readonly #stopping = new AbortController();
  #closing: Promise<void> | undefined;
  #replacing: Promise<void> | undefined;
  #delayMs = FIRST_DELAY_MS;

  constructor({ count, logger, signal }: GroupOptions) {
    this.#count = count;
    this.#logger = logger;
    this.#cancelled = signal;
    // At a terminal each member writes its own lines. In a pipe, long chunks from several would mix.
    const output = process.stdout.isTTY ? 'inherit' : 'pipe';
    cluster.setupPrimary({ args: process.argv.slice(2), stdio: ['ignore', output, 'inherit', 'ipc'] });
  }

  async start(): Promise<void> {
    const cancel = (): void => void this.close().catch(() => undefined);
    this.#cancelled?.addEventListener('abort', cancel, { once: true });
    try {
      this.#cancelled?.throwIfAborted();
      const url = await this.#add(true);
      await Promise.all(Array.from({ length: this.#count - 1 }, async () => await this.#add(false)));
      process.on('SIGUSR2', () => void this.#restart());
      this.#logger.info('all processes listen', { processes: this.#count, url });
    } catch (error) {
      await this.close().catch(() => undefined);
      this.#cancelled?.throwIfAborted();
      throw error;
    } finally {
      this.#cancelled?.removeEventListener('abort', cancel);
    }
  }

  /** Every member reads the config on its own, and logs the outcome. */
  async reload() {
    for (const member of this.#members) member.process.kill('SIGHUP');
    return { status: 'reloaded', changed: [], needsRestart: [] } as const;
  }

  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const codes = await Promise.all([...this.#members].map(async (member) => await this.#end(member)));
    if (codes.some((code) => code !== 0)) throw new Error('a process did not stop cleanly');
  }

  /** Replace the members one by one, each once its successor listens, so that no request fails. */
  async #restart(): Promise<void> {
    if (this.#replacing) return await this.#replacing;
    this.#replacing = this.#replaceAll().finally(() => {
      this.#replacing = undefined;
    });
    await this.#replacing;
  }

  async #replaceAll(): Promise<void> {
    const before = [...this.#members];
    try {
      for (const member of before) {
        if (this.#closing) return;
        await this.#add(false);
        await this.#end(member, () => send(member, { kind: 'leave' }));
      }
      this.#logger.info('replaced all processes', { processes: before.length });
    } catch (error) {
      this.#logger.error('a process could not be replaced; the others continue', { error });
    }
  }

  /** Start a member, and wait until it listens. Returns its URL. */
  async #add(announces: boolean): Promise<string> {
    const since = performance.now();
    const member = cluster.fork(memberEnvironment({ count: this.#count, announces }));
    this.#members.add(member);
    if (member.process.stdout) passLines(member.process.stdout, (text) => this.#logger.pass(text));
    let isListening = false;
    return await new Promise((resolve, reject) => {
      member.on('message', (message: FromMember) => {
        if (message.kind !== 'listening') return this.#metrics.receive(member, message, this.#members);
        isListening = true;
        resolve(message.url);
      });
      member.once('exit', (code, signal) => {
        this.#members.delete(member);
        this.#metrics.end(member);
        if (!isListening) reject(endedEarly(signal ?? code));
        else if (!this.#leaving.delete(member)) this.#replace({ code, signal, ranMs: performance.now() - since });
      });
    });
  }

  /** Start a member in place of one that has failed, retrying until one does start. */
  #replace({ ranMs, ...outcome }: { readonly code: number; readonly signal: string; readonly ranMs: number }): void {
    this.#logger.error('a process ended unexpectedly, and is replaced', outcome);
    if (ranMs > STEADY_MS) this.#delayMs = FIRST_DELAY_MS;
    const attempt = async (): Promise<void> => {
      const wait = this.#delayMs;
      this.#delayMs = Math.min(wait * 2, MAX_DELAY_MS);
      await delay(wait, undefined, { signal: this.#stopping.signal });
      await this.#add(false).catch(async (error: unknown) => {
        if (this.#closing) return;
        this.#logger.error('a process could not be replaced yet', { error });
        await attempt();
      });
    };
    attempt().catch(() => undefined);
  }

  /** Stop a member. Returns its exit code. */
  async #end(member: Worker, ask: () => void = () => member.process.kill('SIGTERM')): Promise<number | null> {
    this.#leaving.add(member);
    const ended = once(member, 'exit');
    ask();
    const [code] = (await ended) as [number | null];
    return code;
  }
}

function endedEarly(outcome: string | number): PatchbayError {
  return new PatchbayError('plugin_start_failed', `a process of the server ended (${outcome}) before it listened`);
}

/** Pass whole lines on: an incomplete one waits for its rest. */
function passLines(from: Readable, write: (text: string) => void): void {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  from.on('end', () => {
    if (rest !== '') write(`${rest}\n`);
  });
}
