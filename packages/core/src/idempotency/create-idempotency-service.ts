import { createHash } from 'node:crypto';
import { deleteOldest } from '@patchbay/contracts/base/delete-oldest';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { IdempotencyKeyRow } from '@patchbay/contracts/rows';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { Changes, Storage, StorageSignals } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { IdempotencyClaim, IdempotencyService, IdempotentRequest, KeptAnswer } from './idempotency-service.ts';
import { type ClaimEnd, createLeftClaims } from './left-claims.ts';

/** This process among all on the same storage. */
interface Instance {
  readonly id: string;
  /** By the monotonic clock: later, the lease is renewed before any new work. */
  readonly freshUntil: number;
  renew(): Promise<void>;
  /** Whether an instance, this or another, may still be running. */
  isAlive(id: string): Promise<boolean>;
}

interface IdempotencyDependencies {
  readonly storage: Storage;
  readonly rootSecret: RootSecret;
  readonly clock: Clock;
  readonly logger: Logger;
  /** This process, and the liveness of others. */
  readonly instance: Instance;
}

const KEPT_MS = 86_400_000;

/** Maximum characters of a stored response. */
const LONGEST_ANSWER = 1_048_576;

/** A key can be released, or expire, between one check and the next; not more often than this. */
const TRIES = 4;

/** The service, and its periodic task. */
type IdempotencyKeeper = IdempotencyService & {
  /** Write outcomes that could not be written while the storage was unavailable. */
  settleLeft(): Promise<void>;
};

export function createIdempotencyService(parts: IdempotencyDependencies): IdempotencyKeeper {
  const { storage, clock, logger, instance } = parts;
  const owner = instance.id;
  // Some responses contain a secret that is shown once.
  const box = createSecretBox(parts.rootSecret);
  const claimed = new Set<string>();
  // Claims that are being written. A row that exists, but is in neither of the two, was left behind.
  const claiming = new Map<string, number>();
  const isOurs = (id: string): boolean => claimed.has(id) || claiming.has(id);
  const open = createOpenRequests(storage.signals, owner);
  const left = createLeftClaims(storage, owner, isOurs);

  const rowOf = (id: string, requestHash: string): IdempotencyKeyRow => ({
    id,
    revision: 1,
    requestHash,
    status: 'running',
    owner,
    answer: null,
    createdAt: iso(clock.now()),
    expiresAt: iso(clock.now() + KEPT_MS),
  });

  const insert = async (tenant: TenantId, id: string, requestHash: string): Promise<boolean> => {
    claiming.set(id, (claiming.get(id) ?? 0) + 1);
    try {
      const { done } = await storage.commit(tenant, [{ insert: 'idempotencyKeys', row: rowOf(id, requestHash) }]);
      if (done) claimed.add(id);
      return done;
    } catch (error) {
      // The row may have been written nevertheless.
      left.keep(tenant, id, 'free');
      throw error;
    } finally {
      const others = (claiming.get(id) ?? 1) - 1;
      if (others === 0) claiming.delete(id);
      else claiming.set(id, others);
    }
  };

  const claimOf = (tenant: TenantId, id: string, close: () => void): IdempotencyClaim => {
    // The caller has received its response, or its error, anyway. The row that is left has no owner: the next request
    // with the key fails because the response is lost, and is not run.
    const tell = async (end: ClaimEnd, write: () => Promise<unknown>): Promise<void> => {
      try {
        await write();
      } catch (error) {
        left.keep(tenant, id, end);
        logger.warn('the response of a request with an Idempotency-Key could not be stored', { id, error });
      } finally {
        claimed.delete(id);
        close();
      }
    };
    const update = (set: Changes<'idempotencyKeys'>) =>
      tell('lost', () => storage.commit(tenant, [{ update: 'idempotencyKeys', id, set }]));
    return {
      maxBodyLength: LONGEST_ANSWER,
      answered: (answer) =>
        (answer.body?.length ?? 0) > LONGEST_ANSWER
          ? update({ status: 'lost' })
          : update({ status: 'answered', answer: { sealed: box.seal(JSON.stringify(answer), placeOf(tenant, id)) } }),
      lost: () => update({ status: 'lost' }),
      release: () => tell('free', () => storage.commit(tenant, [{ delete: 'idempotencyKeys', id }])),
    };
  };

  /** The stored response to a request whose key has a row. */
  const answerOf = async (tenant: TenantId, row: IdempotencyKeyRow, requestHash: string): Promise<KeptAnswer> => {
    if (row.requestHash !== requestHash) {
      throw new PatchbayError('idempotency_key_reused', 'the Idempotency-Key was used for a different request');
    }
    if (row.status === 'running' && (isOurs(row.id) || (row.owner !== owner && (await instance.isAlive(row.owner))))) {
      const detail = 'the first request with this Idempotency-Key is still running';
      throw new PatchbayError('idempotency_in_progress', detail, { retryAfter: 1 });
    }
    const sealed = row.answer?.['sealed'];
    // It cannot be opened if it was sealed under another root secret, or tampered with.
    const text = typeof sealed === 'string' ? box.open(sealed, placeOf(tenant, row.id)) : undefined;
    if (text !== undefined) return JSON.parse(text) as KeptAnswer;
    const detail = 'the first request with this Idempotency-Key was run, and is not run again; look what came of it';
    throw new PatchbayError('idempotency_answer_lost', detail);
  };

  /** Claim the key: `undefined` if this request owns it now. */
  const claimKey = async (request: IdempotentRequest, id: string): Promise<KeptAnswer | undefined> => {
    const { tenant } = request.caller;
    if (clock.monotonic() > instance.freshUntil) await instance.renew();
    await left.settle(id);
    const requestHash = sha256(request.request);
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await insert(tenant, id, requestHash)) return undefined;
      const row = await storage.get(tenant, 'idempotencyKeys', id);
      if (!row) continue;
      if (Date.parse(row.expiresAt) > clock.now()) return await answerOf(tenant, row, requestHash);
      await storage.commit(tenant, [{ delete: 'idempotencyKeys', id, ifRevision: row.revision }]);
    }
    const detail = 'requests with this Idempotency-Key come and go';
    throw new PatchbayError('idempotency_in_progress', detail, { retryAfter: 1 });
  };

  return {
    settleLeft: () => left.settleAll(),
    cancel: (caller, key) => open.cancel(caller, key),
    open: (caller, key, onCancel) => open.add(caller, key, onCancel),

    async begin(request) {
      const { caller, key, onCancel = () => {} } = request;
      const id = `idempotency_${sha256(scopeOf(request))}`;
      // Open before the claim: a cancellation may arrive while the claim is being written.
      const close = open.add(caller, key, onCancel);
      let kept: KeptAnswer | undefined;
      try {
        kept = await claimKey(request, id);
      } catch (error) {
        close();
        throw error;
      }
      if (kept === undefined) return { claim: claimOf(caller.tenant, id, close) };
      close();
      return { kept };
    },
  };
}

/** Delete the keys that have expired, and return how many. */
export async function sweepIdempotencyKeys(storage: Storage, clock: Pick<Clock, 'now'>): Promise<number> {
  const now = iso(clock.now());
  const isExpired = ({ expiresAt }: IdempotencyKeyRow) => expiresAt <= now;
  return await deleteOldest(storage, { collection: 'idempotencyKeys', sort: 'expiresAt' }, isExpired, (row) => [
    { delete: 'idempotencyKeys', id: row.id, ifRevision: row.revision },
  ]);
}

/** The scope of a key. */
function scopeOf({ caller, endpoint, key }: IdempotentRequest): string {
  return JSON.stringify([caller.tenant, caller.id, endpoint, key]);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const iso = (ms: number): string => new Date(ms).toISOString();

/** The context of an encrypted response: it cannot be decrypted in another row. */
const placeOf = (tenant: TenantId, id: string) => ({ tenant, kind: 'idempotencyKeys.answer', id });

type Caller = Pick<Principal, 'tenant' | 'id'>;

const SIGNAL = 'cancel';

/**
 * The requests with an `Idempotency-Key` that this process is working on, so that their caller can cancel them.
 *
 * @param own The id of this process.
 */
function createOpenRequests(signals: StorageSignals | undefined, own: string) {
  const open = new Map<string, Set<() => void>>();
  let isListening = false;
  const idOf = (caller: Caller, key: string) => sha256(JSON.stringify([caller.tenant, caller.id, key]));

  const cancelOpen = (id: string): number => {
    const requests = [...(open.get(id) ?? [])];
    for (const cancel of requests) cancel();
    return requests.length;
  };
  const listen = (): void => {
    if (isListening) return;
    isListening = true;
    signals?.listen((name = '') => {
      const [signal, instance, id = ''] = name.split(' ');
      // A signal also comes back to its sender, where the key may be in use again by then.
      if (signal === SIGNAL && instance !== own) cancelOpen(id);
    });
  };

  return {
    /** @returns Removes the request again. */
    add(caller: Caller, key: string, cancel: () => void): () => void {
      listen();
      const id = idOf(caller, key);
      const requests = open.get(id) ?? new Set();
      open.set(id, requests.add(cancel));
      return () => {
        requests.delete(cancel);
        if (requests.size === 0 && open.get(id) === requests) open.delete(id);
      };
    },
    /** Cancel requests here, and notify the other processes on the storage. @returns How many there were here. */
    cancel(caller: Caller, key: string): number {
      const id = idOf(caller, key);
      signals?.send(`${SIGNAL} ${own} ${id}`);
      return cancelOpen(id);
    },
  };
}
