import { setTimeout as delay } from 'node:timers/promises';
import { canary } from '@patchbay/canaries';
import { createRandom } from '../../driver/random.ts';
import type { LogEntry } from '../../driver/server-log.ts';
import { adminKey, ask, type ServerProcess } from '../../driver/server-process.ts';
import { type Cluster, type ConfigPlace, startCluster } from './cluster.ts';
import { type GuardedUpstream, slowly, startGuardedUpstream, upstreamText } from './guarded-upstream.ts';
import { createLoad, type Load } from './load.ts';
import { changed, configText, firstSettings, markOf, type ReloadAction, reloadActions } from './reload-settings.ts';
import { type Resources, readResources } from './resources.ts';

export interface ReloadFaultsOptions {
  /** Changes of the config, for each of the two halves. What is held on to is compared after the first and the second. */
  readonly reloads: number;
  readonly seed: number;
  readonly storage: 'sqlite' | 'postgres';
  /** Of each kind of request. */
  readonly clients: number;
  /** Between the requests of a client. Default: 20, or lists, which are quick, would use up the machine. */
  readonly pauseMs?: number;
  readonly say?: (line: string) => void;
}

export interface ReloadFaultsReport {
  /** Signals that were sent to each process. */
  readonly hangups: number;
  readonly done: Readonly<Record<string, number>>;
  /** Of each process, after the first half and after the second. */
  readonly resources: Readonly<Record<string, readonly [Resources, Resources]>>;
  readonly faults: readonly string[];
}

/** How long the upstream goes on to take a key, once every process has said that it goes by the next. */
const GRACE_MS = 2_000;
const PATIENCE_MS = 60_000;
const PIECE_MS = 300;
/** Longer than the grace: what was started under the old key asks for a model under the new one. */
const THINK_MS = 3_000;

const RELOADED = 'reloaded the config';
const REFUSED = 'the config was not reloaded';

/** Change the config of every process, again and again, while clients ask for everything. Not one request may fail. */
export async function reloadFaults(options: ReloadFaultsOptions): Promise<ReloadFaultsReport> {
  const upstream = await startGuardedUpstream();
  let run: ReloadRun | undefined;
  try {
    run = await ReloadRun.start(options, upstream);
    const before = await run.half();
    const after = await run.half();
    run.compare(before, after);
    await run.shutDown();
    return run.report(before, after);
  } finally {
    await run?.stop();
    await upstream.stop();
  }
}

class ReloadRun {
  readonly #options: ReloadFaultsOptions;
  readonly #upstream: GuardedUpstream;
  readonly #cluster: Cluster;
  readonly #random;
  readonly #say: (line: string) => void;
  readonly #faults: string[] = [];
  readonly #done: Record<string, number> = {};
  #load: Load | undefined;
  #settings = firstSettings;
  #key = 0;
  #mark = 0;
  #hangups = 0;
  #turn = 0;

  static async start(options: ReloadFaultsOptions, upstream: GuardedUpstream): Promise<ReloadRun> {
    const { baseUrl } = upstream;
    upstream.accept(keyOf(0));
    const configOf = (place: ConfigPlace) => configText(firstSettings, place, { baseUrl });
    const cluster = await startCluster({ storage: options.storage, key: keyOf(0), configOf });
    return new ReloadRun(options, upstream, cluster);
  }

  constructor(options: ReloadFaultsOptions, upstream: GuardedUpstream, cluster: Cluster) {
    this.#options = options;
    this.#upstream = upstream;
    this.#cluster = cluster;
    this.#random = createRandom(options.seed);
    this.#say = options.say ?? (() => undefined);
  }

  get #processes(): readonly ServerProcess[] {
    return [...this.#cluster.servers, ...this.#cluster.workers];
  }

  /** Reload under load, then let everything end; what is still held on to. */
  async half(): Promise<readonly Resources[]> {
    const { clients, reloads, pauseMs = 20 } = this.#options;
    this.#load ??= await createLoad({ url: this.#cluster.url, pieceMs: PIECE_MS, thinkMs: THINK_MS });
    const load = this.#load;
    const loading = new AbortController();
    const running = Object.entries(load).flatMap(([name, request]) =>
      Array.from({ length: clients }, async () => {
        while (!loading.signal.aborted) {
          const fault = await request().catch((error: unknown) => String((error as Error).cause ?? error));
          if (fault === undefined) this.#done[name] = (this.#done[name] ?? 0) + 1;
          else this.#faults.push(`${name}, after reload ${this.#settings.round}: ${fault}`);
          await delay(pauseMs);
        }
      }),
    );
    try {
      for (let count = 0; count < reloads; count += 1) {
        const action = reloadActions[this.#turn % reloadActions.length] as ReloadAction;
        this.#turn += 1;
        await this.#act(action);
        await delay(this.#random.below(300));
      }
      // Both halves end with the same, so that what is left can be compared.
      this.#settings = { ...firstSettings, round: this.#settings.round };
      await this.#act('rotate');
      // The last revoked key is refused while there is still load.
      await delay(GRACE_MS + 500);
    } finally {
      loading.abort();
      await Promise.all(running);
    }
    this.#say(`${this.#settings.round} changes, ${total(this.#done)} requests, ${this.#faults.length} faults`);
    return await this.#quiet();
  }

  async #act(action: ReloadAction): Promise<void> {
    const before = this.#settings;
    this.#settings = changed(before, action, this.#random);
    if (action === 'broken' || action === 'hanging') {
      const [text, why] =
        action === 'broken'
          ? [this.#broken(), /^patchbay\.config\.yaml:\d+:\d+ /]
          : [this.#text({ hangs: true }), /providers\.hanging .*no answer within/];
      await this.#refuse(text, why);
      this.#settings = { ...before, round: this.#settings.round };
    } else {
      if (action === 'rotate') await this.#rotate();
      if (action === 'twice') await this.#hangup(this.#text().replace('tenants: {', 'tenants: { other: {}, '));
      await this.#hangup(this.#text());
      await this.#logged(RELOADED, this.#isInForce);
      if (action === 'rotate') this.#upstream.retire(keyOf(this.#key - 1), GRACE_MS);
    }
    await this.#check(action);
  }

  /** Give the provider its next key, which is unknown until the next reload. */
  async #rotate(): Promise<void> {
    this.#key += 1;
    this.#upstream.accept(keyOf(this.#key));
    await this.#cluster.writeKey(keyOf(this.#key));
  }

  #text(more: { readonly hangs?: boolean } = {}): string {
    return configText(this.#settings, this.#cluster.place, { baseUrl: this.#upstream.baseUrl, ...more });
  }

  #broken(): string {
    return this.#random.pick([
      this.#text().replace('gateway: { timeoutMs', 'gateway: { timeuotMs'),
      this.#text().replace('provider-key', 'no-such-key'),
      this.#text().replace('asyncConcurrency: ', 'asyncConcurrency: minus'),
      this.#text().replace('limits: {', 'limits: ['),
    ]);
  }

  readonly #isInForce = (entry: LogEntry): boolean => {
    const names = (entry['changed'] ?? []) as readonly string[];
    return names.includes(`tenants.${markOf(this.#settings)}`);
  };

  async #hangup(text: string): Promise<void> {
    await this.#cluster.writeConfig(text);
    this.#hangups += 1;
    for (const { process } of this.#processes) process.kill('SIGHUP');
  }

  /** Resolves once every process has written such a line. */
  async #logged(message: string, isIt: (entry: LogEntry) => boolean, from?: readonly number[]): Promise<void> {
    const found = async (each: ServerProcess, first: number): Promise<void> => {
      for (let number = first; ; number += 1) if (isIt(await each.logged(message, number))) return;
    };
    const waiting = this.#processes.map(async (each, index) => {
      const missing = () => {
        const rest = each.log.filter((entry) => entry.message !== 'request').slice(-5);
        return `change ${this.#settings.round}: ${this.#names[index]} did not log "${message}": ${JSON.stringify(rest)}`;
      };
      await within(found(each, from?.[index] ?? 1), missing);
    });
    await Promise.all(waiting);
  }

  async #refuse(text: string, why: RegExp): Promise<void> {
    const next = this.#processes.map(({ log }) => log.filter(({ message }) => message === REFUSED).length + 1);
    await this.#hangup(text);
    await this.#logged(REFUSED, () => true, next);
    for (const { log } of this.#processes) {
      const entry = log.findLast(({ message }) => message === REFUSED);
      const [first = ''] = (entry?.['problems'] ?? []) as string[];
      if (!why.test(first)) this.#faults.push(`refused for another reason: ${JSON.stringify(entry)}`);
    }
  }

  /** A config that was reported as applied serves the next request, at every server. */
  async #check(action: ReloadAction): Promise<void> {
    const { hasSecond } = this.#settings;
    for (const server of this.#cluster.servers) {
      const { body } = await ask(server, 'GET', '/models');
      const ids = ((body['data'] ?? []) as { id: string }[]).map(({ id }) => id);
      if (ids.includes('second/twin') !== hasSecond)
        this.#faults.push(`${action}: ${JSON.stringify(ids)} are in force`);
      this.#mark += 1;
      const mark = `[mark ${this.#mark}]`;
      const messages = [{ role: 'user', content: mark }];
      const { status } = await ask(server, 'POST', '/chat', { model: 'main/twin', messages });
      const isCurrent = this.#upstream.keyOf(mark) === keyOf(this.#key);
      // On a machine that is too busy a storage may be taken for ill, but not for long.
      let ready = await ask(server, 'GET', '/readyz');
      for (let look = 0; ready.status !== 200 && look < 20; look += 1) {
        await delay(500);
        ready = await ask(server, 'GET', '/readyz');
      }
      if (ready.status !== 200) this.#faults.push(`${action}: it is not ready`);
      if (status !== 200 || !isCurrent)
        this.#faults.push(`${action}: ${status}, with the key of before: ${!isCurrent}`);
    }
  }

  async #quiet(): Promise<readonly Resources[]> {
    // Idle connections end by themselves, and retired plugins with the last request that knew them.
    await delay(4_000);
    return await Promise.all(this.#processes.map(readResources));
  }

  compare(before: readonly Resources[], after: readonly Resources[]): void {
    const slack = Math.max(4, Math.floor(this.#options.reloads / 4));
    for (const [index, first] of before.entries()) {
      const second = after[index];
      const name = this.#names[index];
      for (const what of ['files', 'sockets', 'processes'] as const) {
        const grown = (second?.[what] ?? 0) - first[what];
        if (grown > slack) this.#faults.push(`${name} has ${grown} more ${what}`);
      }
      for (const [kind, count] of Object.entries(second?.active ?? {})) {
        const grown = count - (first.active[kind] ?? 0);
        if (grown > slack) this.#faults.push(`${name} has ${grown} more of ${kind}`);
      }
      const grownMb = (second?.heapMb ?? 0) - first.heapMb;
      if (grownMb > Math.max(8, this.#options.reloads / 10)) this.#faults.push(`${name} has ${grownMb} MB more heap`);
    }
  }

  get #names(): readonly string[] {
    return [
      ...this.#cluster.servers.map((_, index) => `server ${index + 1}`),
      ...this.#cluster.workers.map((_, index) => `worker ${index + 1}`),
    ];
  }

  /** SIGHUP does not affect a stopping server, and running streams end complete. */
  async shutDown(): Promise<void> {
    const streams = this.#cluster.servers.map(async ({ url }) => {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
      const messages = [{ role: 'user', content: `Hello ${slowly(PIECE_MS)}` }];
      const body = JSON.stringify({ model: 'main/twin', stream: true, messages });
      const response = await fetch(`${url}/chat`, { method: 'POST', headers, body });
      return { response, text: response.text() };
    });
    const begun = await Promise.all(streams);
    for (const { process } of this.#processes) process.kill('SIGTERM');
    await delay(50);
    for (const { process } of this.#processes) process.kill('SIGHUP');
    for (const { response, text } of begun) {
      const whole = (await text).includes(JSON.stringify(upstreamText));
      if (response.status !== 200 || !whole) this.#faults.push('a stream was cut by the shutdown');
    }
    for (const [index, { exited, log }] of this.#processes.entries()) {
      const { code } = await within(exited, () => `${this.#names[index]} did not end`);
      if (code !== 0) this.#faults.push(`${this.#names[index]} ended with ${code}`);
      const errors = log.filter(({ level, message }) => level === 'error' && message !== REFUSED);
      for (const entry of errors.slice(0, 5)) this.#faults.push(`${this.#names[index]}: ${JSON.stringify(entry)}`);
    }
    for (const body of this.#upstream.refused.slice(0, 5)) this.#faults.push(`the upstream refused ${body}`);
  }

  report(before: readonly Resources[], after: readonly Resources[]): ReloadFaultsReport {
    const pairs = before.map((first, index) => [this.#names[index], [first, after[index]]] as const);
    return {
      hangups: this.#hangups,
      done: this.#done,
      resources: Object.fromEntries(pairs) as ReloadFaultsReport['resources'],
      faults: this.#faults,
    };
  }

  async stop(): Promise<void> {
    await this.#cluster.stop();
  }
}

async function within<T>(promise: Promise<T>, missing: () => string): Promise<T> {
  const timer = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: timer.signal }).then(() => Promise.reject(new Error(missing())));
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}

function keyOf(number: number): string {
  return canary(`provider-key-${number}`);
}

function total(done: Readonly<Record<string, number>>): number {
  return Object.values(done).reduce((sum, count) => sum + count, 0);
}
