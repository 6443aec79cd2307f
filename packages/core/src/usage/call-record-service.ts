import { jsonLimits } from '@patchbay/contracts/base/check-json';
import { parseJson } from '@patchbay/contracts/base/json-text';
import { findRow, reachesFunction, requireAllFunctions } from '@patchbay/contracts/base/stored-rows';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CallOutcome, CallRecordRow, Filter } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { ContentRecorder } from '../call-content/content-recorder.ts';
import { contentPlace, type StoredContent } from '../call-content/stored-content.ts';
import type { CursorCodec, Position } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type FollowDependencies, followCalls } from './follow-calls.ts';

/** Which calls to list. Default: all. */
interface CallFilter {
  readonly functionId?: string | undefined;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
  readonly outcome?: CallOutcome | undefined;
  /** Calls that ended earlier are left out. */
  readonly since?: string | undefined;
}

/** How calls were answered. */
export interface CallRecordService {
  list(filter: CallFilter, page: PageRequest<'createdAt'>, context: RequestContext): Promise<PageResult<CallRecordRow>>;
  /**
   * Calls as they end. They begin after a position that was received before, or at `since`, or now.
   *
   * @throws PatchbayError `invalid_request` for a position in another list.
   */
  follow(filter: CallFilter, place: string | undefined, context: RequestContext): AsyncGenerator<FollowedCall>;
  /** @throws PatchbayError `call_not_found`. */
  get(id: string, context: RequestContext): Promise<CallRecordRow>;
  /** The request and the response. Undefined if they are not stored, or no longer stored. @throws As `get`. */
  content(id: string, context: RequestContext): Promise<StoredContent | undefined>;
}

/** A call, and the position after it. Undefined after a time without one. */
type FollowedCall = { readonly call: CallRecordRow; readonly place: string } | undefined;

/** Levels of a content, which has documents two levels down. */
const CONTENT_DEPTH = jsonLimits.depth + 4;

interface CallRecordDependencies extends FollowDependencies {
  readonly cursors: CursorCodec;
  readonly contents: Pick<ContentRecorder, 'flush'>;
  readonly box: Pick<SecretBox, 'open'>;
}

export function createCallRecordService(dependencies: CallRecordDependencies): CallRecordService {
  const { storage, ledger, cursors, contents, box } = dependencies;

  const wanted = (filter: CallFilter, { caller }: Pick<RequestContext, 'caller'>): Filter<'callRecords'> => {
    const { functionId } = filter;
    const isReached = functionId !== undefined && reachesFunction(caller, functionId);
    if (!isReached) requireAllFunctions(caller);
    const given = Object.entries(filter).filter(([name, value]) => name !== 'since' && value !== undefined);
    return Object.fromEntries(given);
  };

  const placeOf = (tenant: TenantId, list: string, place: string): Position => {
    try {
      return cursors.decode(tenant, list, place);
    } catch {
      throw new PatchbayError('invalid_request', 'Last-Event-ID must be the id of an event of this stream');
    }
  };

  return {
    async list(filter, page, context) {
      const where = wanted(filter, context);
      // A call that was just answered is in the list.
      await ledger.flush();
      const from = filter.since;
      return await listPage(dependencies, { collection: 'callRecords', where, from, page }, context);
    },

    follow(filter, place, context) {
      const where = wanted(filter, context);
      const { tenant } = context.caller;
      const list = `calls as they end ${JSON.stringify(where)}`;
      const begin = filter.since === undefined ? undefined : { value: filter.since, id: '' };
      const from = place === undefined ? begin : placeOf(tenant, list, place);
      return passOn();

      async function* passOn(): AsyncGenerator<FollowedCall> {
        for await (const call of followCalls(dependencies, where, from, context)) {
          if (!call) yield undefined;
          else yield { call, place: cursors.encode(tenant, list, { value: call.createdAt, id: call.id }) };
        }
      }
    },

    async get(id, context) {
      await ledger.flush();
      return await findRow(storage, 'callRecords', id, context);
    },

    async content(id, context) {
      const { tenant } = context.caller;
      await Promise.all([ledger.flush(), contents.flush()]);
      await findRow(storage, 'callRecords', id, context);
      const row = await storage.get(tenant, 'callContents', id);
      if (!row) return undefined;
      const text = box.open(row.content, contentPlace(tenant, id));
      if (text === undefined) {
        // Treated as missing: the server has another root secret.
        context.logger.warn('the content of a call cannot be decrypted', { call: id });
        return undefined;
      }
      return (await parseJson(text, CONTENT_DEPTH)) as unknown as StoredContent;
    },
  };
}
