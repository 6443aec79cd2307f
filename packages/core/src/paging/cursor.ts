import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { TenantId } from '@patchbay/contracts/tenant';
import { LRUCache } from 'lru-cache';

/** A position in a list: the sort value and the id of its last row. */
export interface Position {
  readonly value: string | number;
  readonly id: string;
}

/** Turns positions into opaque strings and back. */
export interface CursorCodec {
  /** @param list Names the list and its order, such as `functions createdAt desc`. */
  encode(tenant: TenantId, list: string, position: Position): string;
  /** @throws PatchbayError `invalid_request` unless the cursor was made for this tenant, list and order. */
  decode(tenant: TenantId, list: string, cursor: string): Position;
}

/**
 * Cursors that are cached: signing one takes as long as reading the first page of a polled list, which has the same one
 * each time.
 */
const MAX_KEPT = 1_000;

/** Cursors are signed, so that a caller can neither build one nor use one on another list. */
export function createCursorCodec(rootSecret: RootSecret): CursorCodec {
  // A key object: with raw bytes, each signature would take several times as long.
  const key = createSecretKey(rootSecret.derive('list cursor'));
  const sign = (tenant: TenantId, list: string, payload: string): Buffer =>
    createHmac('sha256', key).update(`${tenant}\n${list}\n${payload}`).digest().subarray(0, 16);

  const kept = new LRUCache<string, string>({ max: MAX_KEPT });

  return {
    encode(tenant, list, { value, id }) {
      // Neither an id nor anything before the value contains a line break.
      const place = `${tenant}\n${list}\n${value}\n${id}`;
      const known = kept.get(place);
      if (known !== undefined) return known;
      const payload = Buffer.from(JSON.stringify([value, id])).toString('base64url');
      const cursor = `${payload}.${sign(tenant, list, payload).toString('base64url')}`;
      kept.set(place, cursor);
      return cursor;
    },
    decode(tenant, list, cursor) {
      const [payload = '', signature = ''] = cursor.split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(tenant, list, payload);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        const detail = 'is not a cursor of this list in this order';
        throw new PatchbayError('invalid_request', 'the cursor cannot be used', {
          errors: [{ pointer: '?cursor', code: 'cursor_invalid', detail }],
        });
      }
      const [value, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string | number, string];
      return { value, id };
    },
  };
}
