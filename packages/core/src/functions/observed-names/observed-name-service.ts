import { findRow, notFound, requireAllFunctions } from '@patchbay/contracts/base/stored-rows';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { FunctionRow, ObservedNameRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../../paging/list-page.ts';
import { findByName } from '../find-by-name.ts';
import type { FunctionService } from '../function-service.ts';
import type { NameObserver } from './name-observer.ts';
import { inputSchema, undeclaredOutput } from './observation.ts';

export interface ObservedNameDependencies {
  readonly storage: Storage;
  readonly cursors: CursorCodec;
  readonly functions: Pick<FunctionService, 'create'>;
  readonly observer: Pick<NameObserver, 'flush'>;
}

/** Names that applications of a tenant called without a stored function. */
export interface ObservedNameService {
  list(page: PageRequest<'lastSeenAt' | 'count'>, context: RequestContext): Promise<PageResult<ObservedNameRow>>;
  /** Forget a name until it is called again. @throws PatchbayError `observed_name_not_found`. */
  delete(id: string, context: RequestContext): Promise<void>;
  /**
   * Store a function with this name, backed by a model, with schemas derived from the observations.
   *
   * @throws PatchbayError `observed_name_not_found`; `conflict` if a function has taken the name by now.
   */
  promote(id: string, context: RequestContext): Promise<FunctionRow>;
}

export function createObservedNameService(parts: ObservedNameDependencies): ObservedNameService {
  const { storage, functions, observer } = parts;
  return {
    async list(page, context) {
      requireAllFunctions(context.caller);
      await observer.flush();
      return await listPage(parts, { collection: 'observedNames', page }, context);
    },

    async delete(id, { caller }) {
      requireAllFunctions(caller);
      const result = await storage.commit(caller.tenant, [{ delete: 'observedNames', id }]);
      if (!result.done) throw notFound('observedNames');
    },

    async promote(id, context) {
      requireAllFunctions(context.caller);
      await observer.flush();
      const row = await findRow(storage, 'observedNames', id, context);
      const stored = await findByName(storage, context.caller, row.name);
      if (stored !== undefined) throw new PatchbayError('conflict', `the function ${stored} already has this name`);
      const { name, output } = row;
      const schemas: { readonly input: Schema; readonly output: Schema } = {
        input: inputSchema(row),
        output: output ?? undeclaredOutput,
      };
      // In one commit: of two concurrent promotions of a name, one finds that it is gone.
      const along = [{ delete: 'observedNames', id }] as const;
      return await functions.create({ name, description: '', ...schemas, code: '', settings: {} }, context, along);
    },
  };
}
