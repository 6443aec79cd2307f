import { createHash, hash } from 'node:crypto';
import { withTimeout } from '@patchbay/contracts/base/signals';
import type { Cache } from '@patchbay/contracts/cache';
import type { Logger, Principal } from '@patchbay/contracts/context';
import type { Message } from '@patchbay/contracts/message';
import { partsOf } from '@patchbay/outbound/provider-kit/message-content';

/** How long a model is remembered after its last response. */
const KEPT_MS = 3_600_000;

/** With a cache slower than this, a conversation loses its model, but no request waits longer. */
const LONGEST_LOOKUP_MS = 100;

/** Characters of a text that count: a document in a prompt is not hashed with each request. */
const COUNTED = 4_096;

/** One message of a conversation. */
export interface Turn {
  readonly isAnswer: boolean;
  /** Its texts and the ids of its tool calls, without reasoning, which clients may leave out later. */
  readonly texts: readonly string[];
}

/** A conversation, as far as it differs from others. */
export interface Conversing {
  /** The name that the client has for it. */
  readonly session?: string | undefined;
  readonly turns: () => readonly Turn[];
}

/** Requests that belong together also have the same caller, and the same criteria for choosing the model. */
export interface SessionOwner {
  readonly caller: Pick<Principal, 'tenant' | 'id'>;
  readonly alias: string | undefined;
  readonly optimize: string;
}

/** The position of one request in its conversation. */
export interface Session {
  /** The model that responded last. Undefined at the start, and if it is not known. Never fails. */
  find(): Promise<string | undefined>;
  /** Never fails. */
  remember(model: string): Promise<void>;
}

/** Conversations stay on their model, which holds their prompt in its cache and can read its own reasoning. */
export interface SessionAffinity {
  of(conversing: Conversing, owner: SessionOwner): Session;
}

export function createSessionAffinity(cache: Cache, logger: Pick<Logger, 'warn'>): SessionAffinity {
  const modelAt = async (key: string): Promise<string | undefined> => {
    const found = await cache.get(key);
    return found && Buffer.from(found).toString();
  };
  return {
    of({ session, turns }, { caller, alias, optimize }) {
      const owned = JSON.stringify([caller.tenant, caller.id, alias, optimize, session || null]);
      const { own, before } = session ? named(keyOf(owned)) : keysOf(turns(), owned);
      let foundAt: string | undefined;
      return {
        async find() {
          if (before.length === 0) return undefined;
          try {
            const found = await withTimeout(Promise.all(before.map(modelAt)), LONGEST_LOOKUP_MS);
            const place = found.findIndex((model) => model !== undefined);
            foundAt = before[place];
            return found[place];
          } catch (error) {
            logger.warn('the cache does not say which model a conversation is with', { error });
            return undefined;
          }
        },
        async remember(model) {
          const keys = new Set([own, ...(foundAt === undefined ? [] : [foundAt])]);
          try {
            await Promise.all([...keys].map((key) => cache.set(key, Buffer.from(model), KEPT_MS)));
          } catch (error) {
            logger.warn('the model of a conversation could not be remembered', { error });
          }
        },
      };
    },
  };
}

interface Keys {
  /** For the requests after this one. */
  readonly own: string;
  /** For the requests before this one. */
  readonly before: readonly string[];
}

const named = (key: string): Keys => ({ own: key, before: [key] });

/**
 * The key of a request is everything said up to it. The previous request ended before the last answer, the first one
 * before the first answer. What only looks like a conversation, such as a prompt with the same examples in every
 * request, has no previous request, and is routed afresh each time.
 */
function keysOf(turns: readonly Turn[], owned: string): Keys {
  const begins = turns.flatMap(({ isAnswer }, place) => (isAnswer && !turns[place - 1]?.isAnswer ? [place] : []));
  // Most requests continue none: one call is a fraction of the cost of a `Hash` and its copies.
  if (begins.length === 0) return { own: keyOf(owned + turns.map(countedText).join('')), before: [] };
  const ends = new Set([begins.at(-1), begins[0]]);
  const before: string[] = [];
  const said = createHash('sha256').update(owned);
  for (const [place, turn] of turns.entries()) {
    if (place > 0 && ends.has(place)) before.unshift(keyOfDigest(said.copy().digest('base64url')));
    said.update(countedText(turn));
  }
  return { own: keyOfDigest(said.digest('base64url')), before };
}

function countedText({ isAnswer, texts }: Turn): string {
  return JSON.stringify([isAnswer, texts.map((text) => [text.length, text.slice(0, COUNTED)])]);
}

const keyOf = (said: string): string => keyOfDigest(hash('sha256', said, 'base64url'));

const keyOfDigest = (digest: string): string => `session ${digest}`;

/** The turns of a conversation in the gateway's own format. */
export function turnsOf(messages: readonly Message[]): readonly Turn[] {
  return messages.map(({ role, content }) => ({
    isAnswer: role === 'assistant',
    texts: partsOf<Exclude<Message['content'], string>[number]>(content).flatMap((part) => {
      if (part.type === 'text' || part.type === 'refusal') return [part.text];
      return part.type === 'tool-call' ? [part.id] : [];
    }),
  }));
}
