import { createHmac } from 'node:crypto';
import type { Authenticator } from '@patchbay/contracts/authenticator';
import { systemClock } from '@patchbay/contracts/base/clock';
import { silentLogger } from '@patchbay/contracts/base/logger';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Health } from '@patchbay/contracts/lifecycle';
import { operatorScopes } from '@patchbay/contracts/scopes';
import type { RootSecret } from '@patchbay/contracts/secrets';
import { services } from '@patchbay/contracts/services';
import type { Storage } from '@patchbay/contracts/storage';
import { type TenantId, tenantId } from '@patchbay/contracts/tenant';
import { createKeyService, type KeyService } from '../access/key-service.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { AuditReport } from '../audit/verify-audit-log.ts';
import type { AppConfig } from '../config/app-config.ts';
import { loadAppConfig } from '../config/load-mounts.ts';
import { createWebhookOutbox } from '../events/webhook-outbox.ts';
import { pauseOfRevokedKey } from '../functions/schedules/lost-keys.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { createStorageQueue } from '../queue/storage-queue.ts';
import { type RewrapReport, rewrapSecrets } from '../secrets/sealed-fields.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { allCollections, dumpStorage, functionCollections, writeDump } from '../transfer/dump.ts';
import { type RestoreReport, readDump, restoreDump } from '../transfer/restore.ts';
import { Container } from './container.ts';
import type { AppOptions } from './create-app.ts';
import { createFunctionOperations, type FunctionOperations } from './operate-functions.ts';
import { createParts, startParts, stopParts } from './parts.ts';
import { requireMigrated } from './require-migrated.ts';
import { openRootSecret } from './root-secret.ts';

/** Administration of an installation through its storage, next to running servers. */
export interface Operator extends AsyncDisposable {
  readonly keys: KeyService;
  readonly functions: FunctionOperations;
  /** The operator as a caller of a tenant, for the audit log, with all scopes. */
  actorFor(tenant: string): { readonly caller: Principal };
  /** Verify the audit log of a tenant, or of every tenant with keys or a log. */
  verifyAudit(tenant?: string): Promise<readonly AuditReport[]>;
  /** Re-encrypt secrets of older root secrets with the current one. */
  rewrapSecrets(): Promise<RewrapReport>;
  storageHealth(): Promise<Health>;
  /** The migrations that `migrate` would run. Empty after a start that migrated the storage. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Migrate the storage. @returns The names of the migrations that ran. */
  migrate(): Promise<readonly string[]>;
  /**
   * Dump the storage as lines of text: for one or all tenants, functions with versions and settings, or everything.
   * Secrets stay encrypted, and keys hashed, with the root secret of this installation.
   */
  dump(what: { readonly tenant?: string; readonly everything: boolean }): AsyncGenerator<string>;
  /**
   * Restore a dump. The audit log of each tenant records a dump of functions; a dump of everything includes its own log
   * and must be restored into an empty storage.
   *
   * @throws PatchbayError `invalid_request` with the invalid line, or for a dump of another root secret; `conflict`
   *   if a row exists, unless `skip`.
   */
  restore(
    lines: AsyncIterable<string>,
    what: {
      readonly everything: boolean;
      readonly skip: boolean;
      /** Also accept a complete dump of an unknown root secret. */
      readonly anySecret?: boolean;
    },
  ): Promise<RestoreReport>;
}

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/**
 * Open only the storage of a config: no server, no executor, no provider. Works next to servers on the same
 * storage, if the storage supports several processes.
 *
 * @throws PatchbayError `config_invalid`, `plugin_not_found`, `plugin_incompatible` or `plugin_start_failed`.
 *
 * @example
 * ```ts
 * import { loadConfig, openOperator } from '@patchbay/core';
 *
 * const { app, directory } = await loadConfig({ file: 'patchbay.config.yaml', env: process.env });
 * await using operator = await openOperator(app, { directory });
 * console.log(Object.keys(operator));
 * ```
 */
export async function openOperator(
  config: AppConfig,
  options: Pick<AppOptions, 'logger' | 'clock' | 'directory' | 'bases'> & { readonly migrate?: boolean } = {},
): Promise<Operator> {
  const { logger = silentLogger, clock = systemClock, directory = process.cwd(), bases = [], migrate = true } = options;
  const loaded = await loadAppConfig(config, { directory, bases }, ['storage', 'authenticator', 'queue']);
  const complete = loaded.config;
  requireLasting(config);

  const rootSecret = await openRootSecret(config, { directory, logger });
  const container = new Container();
  container.register(services.clock, () => clock);
  container.register(services.logger, () => logger);
  container.register(services.rootSecret, () => rootSecret);
  container.register(services.announce, () => () => {
    throw new PatchbayError('plugin_start_failed', 'nothing is announced here');
  });
  const parts = createParts(loaded.mounts, container, { logger, directory });
  const storage = container.resolve(services.storage);
  const stop = async () => void (await stopParts(parts, logger));
  try {
    // Authenticators are created, because they define the format of keys, but not started: that would create a first key.
    const started = parts.filter(({ kind }) => kind === 'storage');
    const onStarted = async () => {
      if (migrate) await (complete.autoMigrate ? storage.migrate() : requireMigrated(storage));
    };
    await startParts(started, { timeoutMs: complete.startTimeoutMs, logger, onStarted });
  } catch (error) {
    await stop();
    throw error;
  }

  const cursors = createCursorCodec(rootSecret);
  // Not started: it only turns jobs into writes. Servers find the jobs when they poll.
  const queue = config.queue === undefined ? createStorageQueue({ storage, clock }) : container.resolve(services.queue);
  const outbox = createWebhookOutbox({ storage, queue, clock });
  const audit = createAuditLog({ storage, clock, rootSecret, cursors, outbox });
  const authenticators = parts
    .filter(({ kind }) => kind === 'authenticator')
    .map((part) => part.instance as Authenticator);
  const issuer = authenticators.find(({ keys }) => keys)?.keys;
  const callerOf = (tenant: string): Principal => {
    const scopes = ['*', ...operatorScopes] as const;
    return { id: 'cli', kind: 'service', tenant: tenantId(tenant), scopes, expiresAt: null };
  };
  const { functions } = complete;
  return {
    functions: createFunctionOperations({ storage, audit, cursors, clock, logger, functions, callerOf }),
    keys: createKeyService({
      storage,
      audit,
      clock,
      cursors,
      issuer,
      limits: complete.limits,
      onRevoked: () => pauseOfRevokedKey({ storage, audit, clock, logger }),
    }),
    actorFor: (tenant) => ({ caller: callerOf(tenant) }),
    async verifyAudit(tenant) {
      const tenants = tenant === undefined ? await tenantsOf(storage) : [tenantId(tenant)];
      const reports: AuditReport[] = [];
      for (const each of tenants) reports.push(await audit.verify(each));
      return reports;
    },
    migrate: () => storage.migrate(),
    storageHealth: async () => (await storage.health?.()) ?? { status: 'pass' },
    pendingMigrations: async () => (await storage.pendingMigrations?.()) ?? [],
    async *dump({ tenant, everything }) {
      const tenants = tenant === undefined ? await tenantsOf(storage) : [tenantId(tenant)];
      const rows = dumpStorage(storage, tenants, everything ? allCollections : functionCollections);
      yield* writeDump(rows, everything ? markOf(rootSecret) : undefined);
    },
    async restore(lines, { everything, skip, anySecret = false }) {
      const imported = { action: 'functions.imported', resource: { type: 'functions', id: '*' } } as const;
      const commit: Storage['commit'] = (tenant, writes) =>
        audit.commit({ caller: callerOf(tenant) }, writes, { ...imported, details: { rows: writes.length } });
      const marks = anySecret || !everything ? undefined : [rootSecret, ...(rootSecret.previous ?? [])].map(markOf);
      const batches = readDump(lines, everything ? allCollections : functionCollections, marks);
      return await restoreDump(everything ? storage : { commit }, batches, skip ? 'skip' : 'refuse');
    },
    rewrapSecrets: () => rewrapSecrets(storage, createSecretBox(rootSecret)),
    [Symbol.asyncDispose]: stop,
  };
}

/** Identifies a root secret without revealing it. */
function markOf(rootSecret: Pick<RootSecret, 'derive'>): string {
  return createHmac('sha256', rootSecret.derive('mark of a backup')).digest('hex').slice(0, 32);
}

function requireLasting({ storage, secret, secretFile }: AppConfig): void {
  if (storage === undefined) throw new PatchbayError('config_invalid', 'no storage is configured');
  if (secret !== undefined || secretFile !== undefined) return;
  throw new PatchbayError(
    'config_invalid',
    'no secret and no secretFile is configured: no server would accept the keys',
  );
}

/** Includes tenants of keys, which reveal a tenant whose whole log was removed. */
async function tenantsOf(storage: Storage): Promise<readonly TenantId[]> {
  const heads = await storage.scanAllTenants('auditHeads', {}, EVERYTHING);
  const keys = await storage.scanAllTenants('apiKeys', {}, EVERYTHING);
  return [...new Set([...heads, ...keys].map(({ tenant }) => tenant))].sort();
}
