import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Credentials, RequestHead } from '@patchbay/contracts/authenticator';
import { deleteOldest } from '@patchbay/contracts/base/delete-oldest';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { SessionRow } from '@patchbay/contracts/rows';
import { operatorScopes, type Scope, scopes } from '@patchbay/contracts/scopes';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { AuditActor } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { type BrowserSessions, hasScope } from './callers.ts';
import type { KeyService } from './key-service.ts';
import { createSignInLinks, LINK_PREFIX, requireThisMachine, usedOrOver } from './sign-in-links.ts';

/** Browser sessions in the console: each stands for the credential that it was started with. */
export interface SessionService {
  /** Differs between installations, because their pages on one machine share cookies. */
  readonly cookieName: string;
  /**
   * Start a session. It ends after 12 hours, or earlier if its credential does; if a caller already has ten, the oldest
   * ends.
   *
   * @param token The credential, or the token of a sign-in link, which is used up and creates a key for 12 hours.
   * @throws PatchbayError Of the authenticators; `invalid_token` for a link that was used.
   */
  start(token: string, actor: AuditActor): Promise<StartedSession>;
  /** End a session of the caller. Does nothing if there is none. */
  end(secret: string, actor: AuditActor): Promise<void>;
  /** End every session of the caller, on every server. */
  endAll(actor: AuditActor): Promise<void>;
  /** Who is calling. @param secret Of the session of the request, if it has one. */
  describe(caller: Principal, secret: string | undefined): Promise<SignedIn>;
  /** A token for `start`: valid for a minute, once, and from this machine. Undefined if no key can be created. */
  createLink(): string | undefined;
}

export interface StartedSession {
  /** The content of the cookie, stored nowhere. */
  readonly secret: string;
  readonly caller: Principal;
  readonly maxAgeSeconds: number;
}

export interface SignedIn {
  readonly caller: Principal;
  /** Every scope that it has, including by `*`. */
  readonly scopes: readonly Scope[];
  /** Name of the key, or id of another caller. */
  readonly name: string;
  /** End of the session, or of the credential if that is earlier. Null: it has none. */
  readonly endsAt: string | null;
}

/** The service, and its part in authentication. */
export interface Sessions extends SessionService, BrowserSessions {}

interface SessionDependencies {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly rootSecret: RootSecret;
  readonly keys: Pick<KeyService, 'create'>;
  /** Tenant of sign-in links. Undefined: no authenticator accepts keys. */
  readonly linkTenant: TenantId | undefined;
  /** Authenticates a token with the mounted authenticators. */
  readonly authenticate: (credentials: Credentials) => Promise<Principal>;
}

const SESSION_MS = 43_200_000;

const MAX_PER_CALLER = 10;

export function createSessionService(parts: SessionDependencies): Sessions {
  const { storage, audit, clock, rootSecret, keys, linkTenant, authenticate } = parts;
  const pepper = createSecretKey(rootSecret.derive('console session'));
  const derive = (purpose: string): Buffer => createHmac('sha256', pepper).update(purpose).digest();
  const hashOf = (secret: string): string => derive(`lookup ${secret}`).toString('hex');
  // The credential can be read only with the cookie: neither a copy of the database nor the root secret is enough.
  const boxOf = (secret: string) => createSecretBox({ derive: (purpose) => derive(`${purpose} ${secret}`) });
  const links = createSignInLinks(clock, derive('sign-in links'));
  const placeOf = (tenant: TenantId, id: string) => ({ tenant, kind: 'sessions.credential', id });

  const find = async (secret: string) => {
    const [found] = await storage.scanAllTenants('sessions', { lookupHash: hashOf(secret) }, 1);
    return found && Date.parse(found.row.expiresAt) > clock.now() ? found : undefined;
  };

  const resume = async (secret: string, remoteAddress: string | undefined): Promise<Principal> => {
    const found = await find(secret);
    const token = found && boxOf(secret).open(found.row.credential, placeOf(found.tenant, found.row.id));
    if (token === undefined) throw new PatchbayError('invalid_token', 'the session has ended; sign in again');
    return await authenticate(credentialsOf(token, remoteAddress));
  };

  const wasUsed = async (link: string): Promise<boolean> =>
    (await storage.scanAllTenants('sessions', { lookupHash: hashOf(link) }, 1)).length > 0;

  /** A caller without any scope, who can only sign in. */
  const arrive = async (link: string, tenant: TenantId, head: RequestHead): Promise<Principal> => {
    const expiresAt = links.endOf(link);
    if (await wasUsed(link)) throw usedOrOver();
    requireThisMachine(head);
    return { id: 'sign-in-link', kind: 'service', tenant, scopes: [], expiresAt };
  };

  /**
   * Use up a link: insert a row with its hash, which stays until the link has expired, so that no other process accepts
   * it.
   */
  const redeem = async (link: string, tenant: TenantId): Promise<void> => {
    const lookupHash = hashOf(link);
    const expiresAt = new Date(links.endOf(link)).toISOString();
    const id = `session_${lookupHash.slice(0, 26)}`;
    const row: SessionRow = { id, revision: 1, lookupHash, callerId: 'sign-in-link', credential: '', expiresAt };
    const { done } = await storage.commit(tenant, [{ insert: 'sessions', row }]);
    if (!done) throw usedOrOver();
  };

  /** A key for the person at the terminal, who could also create one on the command line. */
  const keyOf = async (link: string, actor: AuditActor): Promise<string> => {
    if (linkTenant === undefined) throw usedOrOver();
    await redeem(link, linkTenant);
    const all = ['*', ...operatorScopes] as const;
    const caller: Principal = { ...actor.caller, tenant: linkTenant, scopes: all, expiresAt: null };
    const expiresAt = new Date(clock.now() + SESSION_MS).toISOString();
    return (await keys.create({ name: 'Console sign-in', scopes: all, expiresAt }, { ...actor, caller })).key;
  };

  /** The sessions of a caller that must end before it can have another. */
  const beyondBound = async ({ tenant, id }: Principal) => {
    const newest = { where: { callerId: id }, sort: 'expiresAt', order: 'desc', limit: 100 } as const;
    const { rows } = await storage.list(tenant, 'sessions', { ...newest, select: ['lookupHash'] });
    return rows.slice(MAX_PER_CALLER - 1);
  };

  return {
    cookieName: `patchbay_${derive('cookie name').toString('hex').slice(0, 8)}`,

    resume,

    arrive: (link, head) => linkTenant && arrive(link, linkTenant, head),

    async start(token, actor) {
      const { remoteAddress } = actor;
      const credential = token.startsWith(LINK_PREFIX) ? await keyOf(token, actor) : token;
      const caller = await authenticate(credentialsOf(credential, remoteAddress));
      const secret = `pbs_${randomBytes(32).toString('base64url')}`;
      const id = newId('session');
      const expiresAt = new Date(clock.now() + SESSION_MS).toISOString();
      const row: SessionRow = {
        id,
        revision: 1,
        lookupHash: hashOf(secret),
        callerId: caller.id,
        credential: boxOf(secret).seal(credential, placeOf(caller.tenant, id)),
        expiresAt,
      };
      // By filter, because another server may have deleted them meanwhile.
      const ended = (await beyondBound(caller)).map((where) => ({ deleteWhere: 'sessions', where }) as const);
      const event = { action: 'session.started', resource: { type: 'session', id }, details: { expiresAt } } as const;
      await audit.commit({ ...actor, caller }, [{ insert: 'sessions', row }, ...ended], event);
      return { secret, caller, maxAgeSeconds: SESSION_MS / 1_000 };
    },

    async end(secret, actor) {
      const found = await find(secret);
      if (!found || found.tenant !== actor.caller.tenant) return;
      const { id } = found.row;
      const event = { action: 'session.ended', resource: { type: 'session', id } } as const;
      await audit.commit(actor, [{ delete: 'sessions', id }], event);
    },

    async endAll(actor) {
      const { id } = actor.caller;
      const event = { action: 'session.ended', resource: { type: 'caller', id } } as const;
      await audit.commit(actor, [{ deleteWhere: 'sessions', where: { callerId: id } }], event);
    },

    async describe(caller, secret) {
      const session = secret === undefined ? undefined : await find(secret);
      const key = caller.kind === 'api-key' ? await storage.get(caller.tenant, 'apiKeys', caller.id) : undefined;
      const ends = [caller.expiresAt ?? null, session ? Date.parse(session.row.expiresAt) : null];
      const end = Math.min(...ends.filter((each) => each !== null));
      const held = (Object.keys(scopes) as Scope[]).filter((scope) => hasScope(caller, scope));
      return {
        caller,
        scopes: held,
        name: key?.name ?? caller.id,
        endsAt: Number.isFinite(end) ? new Date(end).toISOString() : null,
      };
    },

    createLink: () => linkTenant && links.create(),
  };
}

function credentialsOf(token: string, remoteAddress: string | undefined): Credentials {
  return remoteAddress === undefined ? { token } : { token, remoteAddress };
}

/** Delete expired sessions. */
export async function sweepSessions(storage: Storage, clock: Pick<Clock, 'now'>): Promise<number> {
  const now = new Date(clock.now()).toISOString();
  const isOver = ({ expiresAt }: SessionRow) => expiresAt <= now;
  return await deleteOldest(storage, { collection: 'sessions', sort: 'expiresAt' }, isOver, ({ id }) => [
    { delete: 'sessions', id },
  ]);
}
