import { reachesFunction, requireAllFunctions } from '../base/allowed-functions.ts';
import { findRow } from '../base/stored-rows.ts';
import type { RequestContext } from '../contracts/context.ts';
import type { CallOutcome, CallRecordRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import type { UsageLedger } from './usage-ledger.ts';

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
  /** @throws PatchbayError `call_not_found`. */
  get(id: string, context: RequestContext): Promise<CallRecordRow>;
}

interface CallRecordDependencies {
  readonly storage: Storage;
  readonly cursors: CursorCodec;
  readonly ledger: Pick<UsageLedger, 'flush'>;
}

export function createCallRecordService(dependencies: CallRecordDependencies): CallRecordService {
  const { storage, ledger } = dependencies;
  return {
    async list({ since: from, ...filter }, page, context) {
      const { functionId } = filter;
      const isReached = functionId !== undefined && reachesFunction(context.caller, functionId);
      if (!isReached) requireAllFunctions(context.caller);
      // A call that was just answered is in the list.
      await ledger.flush();
      const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      return await listPage(dependencies, { collection: 'callRecords', where, from, page }, context);
    },

    async get(id, context) {
      await ledger.flush();
      return await findRow(storage, 'callRecords', id, context);
    },
  };
}
