import { Client, type Tool } from '@modelcontextprotocol/client';
import { joinSignals, type Logger, PatchbayError, type ServerTool } from '@patchbay/core/plugin';
import { describeFault } from './call-fault.ts';
import { listTools, serverTool } from './list-tools.ts';
import type { ServerTransport } from './open-transport.ts';
import { pause } from './pause.ts';
import type { ServerConfig } from './server-options.ts';

const CONNECT_MS = 10_000;
/** Longest time between two attempts to connect. */
const MOST_BACKOFF_MS = 60_000;
/** Shortest time between two reads of the list, however often the server says that it has changed. */
const LEAST_REFRESH_MS = 1_000;

/** The tools that were listed last. */
export interface Listing {
  readonly tools: readonly ServerTool[];
  /** As the server sent them. */
  readonly sent: readonly Tool[];
  /** There were more than may be used. */
  readonly isCut: boolean;
}

/**
 * Keeps a connection to one server: connects, reads the list, and reads it again when the server says that it has changed,
 * or after some time. After a failure it reconnects, with growing delays.
 */
export class ServerConnection {
  readonly #config: ServerConfig;
  readonly #transport: ServerTransport;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #attempted = Promise.withResolvers<void>();
  #client: Client | undefined;
  #listing: Listing | undefined;
  #fault: string | undefined;
  #running: Promise<void> | undefined;
  #refresh = (): void => {};

  constructor(config: ServerConfig, transport: ServerTransport, logger: Logger) {
    this.#config = config;
    this.#transport = transport;
    this.#logger = logger;
  }

  /** Undefined while there is no connection. */
  get client(): Client | undefined {
    return this.#client;
  }

  /** Undefined until the first connection. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Why there is no connection. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Resolves once the first attempt to connect has ended. */
  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Read the list now: the server may be gone. */
  check(): void {
    this.#refresh();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#attempted.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let attempt = 0;
    while (!signal.aborted) {
      attempt += 1;
      try {
        await this.#serve(() => {
          attempt = 0;
        });
      } catch (error) {
        if (signal.aborted) break;
        const reason = describeFault(error);
        const isNew = reason !== this.#fault;
        this.#fault = reason;
        if (isNew) this.#logger.warn('the server of tools cannot be reached', { reason, error });
      }
      this.#attempted.resolve();
      await pause(Math.min(1_000 * 2 ** Math.max(0, attempt - 1), MOST_BACKOFF_MS), signal);
    }
  }

  /** Use one connection until it fails. */
  async #serve(succeeded: () => void): Promise<void> {
    const over = new AbortController();
    const { signal, release } = joinSignals(this.#stopping.signal, over.signal);
    const client = this.#newClient();
    try {
      await this.#transport.within(signal, () =>
        client.connect(this.#transport.open(), { signal, timeout: CONNECT_MS }),
      );
      client.onclose = () => over.abort(new PatchbayError('tool_unavailable', 'it closed the connection'));
      void this.#followChanges(client, signal);
      for (;;) {
        const isRefreshed = new AbortController();
        this.#refresh = () => isRefreshed.abort();
        await this.#read(client, signal);
        succeeded();
        await pause(LEAST_REFRESH_MS, signal);
        await pause(this.#config.refreshSeconds * 1_000, signal, isRefreshed.signal);
        signal.throwIfAborted();
      }
    } finally {
      release();
      this.#client = undefined;
      await client.close().catch(() => undefined);
    }
  }

  /**
   * Keep the stream open on which a server of 2026 announces changes: it ends whenever a proxy on the path closes it.
   */
  async #followChanges(client: Client, signal: AbortSignal): Promise<void> {
    let subscription = client.autoOpenedSubscription;
    while (subscription !== undefined) {
      await subscription.closed;
      await pause(LEAST_REFRESH_MS, signal);
      if (signal.aborted) return;
      // There may have been a change meanwhile. If the server is gone, this finds out.
      this.#refresh();
      subscription = await client
        .listen({ toolsListChanged: true }, { signal, timeout: CONNECT_MS })
        .catch(() => undefined);
    }
  }

  #newClient(): Client {
    return new Client(
      { name: 'patchbay', version: '1' },
      {
        versionNegotiation: { mode: 'auto' },
        // The host validates results, by schemas that it has checked before.
        jsonSchemaValidator: {
          getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
        },
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.#refresh() } },
      },
    );
  }

  async #read(client: Client, signal: AbortSignal): Promise<void> {
    const { maxTools, timeoutMs } = this.#config;
    const { tools, isCut } = await listTools(client, maxTools, signal, timeoutMs);
    const before = this.#listing;
    const isSame = before !== undefined && JSON.stringify(before.sent) === JSON.stringify(tools);
    this.#listing = isSame ? before : { tools: tools.map(serverTool), sent: tools, isCut };
    const isNew = this.#client === undefined;
    this.#client = client;
    this.#fault = undefined;
    this.#attempted.resolve();
    if (!isNew && isSame) return;
    const message = isNew ? 'connected to a server of tools' : 'the tools of a server have changed';
    this.#logger.info(message, { tools: tools.length, protocol: client.getNegotiatedProtocolVersion() });
  }
}
