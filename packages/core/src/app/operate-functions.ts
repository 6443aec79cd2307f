import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Logger, Principal, RequestContext } from '@patchbay/contracts/context';
import type { FunctionRow } from '@patchbay/contracts/rows';
import { createSchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CompleteConfig } from '../config/app-config.ts';
import { findByName } from '../functions/find-by-name.ts';
import { createFunctionService } from '../functions/function-service.ts';
import { observedNameId } from '../functions/observed-names/observation.ts';
import { createObservedNameService } from '../functions/observed-names/observed-name-service.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import {
  configLayers,
  createSettingsService,
  type ExplainedSetting,
  explainSettings,
} from '../settings/settings-service.ts';

export interface FunctionOperations {
  list(tenant: string): AsyncIterable<FunctionRow>;
  /**
   * Store a function for an observed name.
   *
   * @throws PatchbayError `observed_name_not_found`, `conflict`, `ambiguous_function_name`.
   */
  promote(name: string, tenant: string): Promise<FunctionRow>;
  /**
   * Explain a call by this name: its settings, and the function it would call.
   *
   * @throws PatchbayError `ambiguous_function_name`.
   */
  explain(
    name: string,
    tenant: string,
  ): Promise<{ readonly functionId: string | undefined; readonly settings: readonly ExplainedSetting[] }>;
}

interface FunctionOperationsDependencies {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly functions: CompleteConfig['functions'];
  readonly callerOf: (tenant: string) => Principal;
}

const PAGE = 100;

/** Works on the storage, without a server: nothing is executed. */
export function createFunctionOperations(dependencies: FunctionOperationsDependencies): FunctionOperations {
  const { storage, audit, cursors, clock, logger, callerOf } = dependencies;
  const { settings: configured = {}, settingsLabel } = dependencies.functions;
  const schemas = createSchemaService();
  const functions = createFunctionService({
    storage,
    executor: undefined,
    schemas,
    cursors,
    clock,
    audit,
    settingsLabel,
  });
  const settings = createSettingsService({ storage, audit, schemas, cursors, clock, configured, label: settingsLabel });
  // Observations in the memory of running servers stay there.
  const observer = { flush: async () => {} };
  const observedNames = createObservedNameService({ storage, cursors, functions, observer });
  const contextOf = (tenant: string): RequestContext => ({
    requestId: newId('command'),
    caller: callerOf(tenant),
    signal: new AbortController().signal,
    logger,
  });

  return {
    async *list(tenant) {
      let after: { readonly value: string; readonly id: string } | undefined;
      for (;;) {
        const query = { sort: 'name', order: 'asc', limit: PAGE, ...(after && { after }) } as const;
        const { rows } = await storage.list(tenantId(tenant), 'functions', query);
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE) return;
        after = { value: last.name, id: last.id };
      }
    },

    promote: (name, tenant) => observedNames.promote(observedNameId(tenantId(tenant), name), contextOf(tenant)),

    async explain(name, tenant) {
      const functionId = await findByName(storage, { tenant: tenantId(tenant) }, name);
      if (functionId === undefined) return { functionId, settings: explainSettings(configLayers(configured, name)) };
      return { functionId, settings: await settings.explain(functionId, contextOf(tenant)) };
    },
  };
}
