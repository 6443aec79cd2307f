import { laterThan, timestamp } from '@patchbay/contracts/base/clock';
import { compareCodePoints } from '@patchbay/contracts/base/compare-code-points';
import {
  checkRevision,
  deletionError,
  findRow,
  notFound,
  requireAllFunctions,
  retryRefused,
} from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Executor } from '@patchbay/contracts/executor';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { Schema } from '@patchbay/contracts/json-schema';
import type { FunctionRow, FunctionSettingsRow, FunctionVersionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { AuditLog } from '../audit/audit-log.ts';
import { functionDeleted, functionStored } from '../events/webhook-outbox.ts';
import { taskKey } from '../gateway/model-performance/task-records.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { DEFAULT_LABEL } from '../settings/settings-options.ts';
import { type SettingsChange, settingsWrites, withoutExperiment } from '../settings/settings-writes.ts';
import { type PreparedInput, prepareFunction } from './prepare-function.ts';
import { type BundleInput, checkBundle } from './uploaded-bundles/check-bundle.ts';
import { bundleWrites, type IdentifiedBundle, identified, readBundle } from './uploaded-bundles/stored-bundles.ts';

/** Stores functions and their versions. Every method is limited to the caller's tenant: other functions are not found. */
export interface FunctionService {
  /**
   * @param along Further writes of the same commit.
   * @throws PatchbayError `schema_invalid`, `code_invalid`; `conflict` if one of the further writes cannot be applied.
   */
  create(input: FunctionInput, context: RequestContext, along?: readonly Write[]): Promise<FunctionRow>;
  /** @throws PatchbayError `function_not_found`. */
  get(id: string, context: RequestContext): Promise<FunctionRow>;
  list(page: PageRequest, context: RequestContext): Promise<PageResult<FunctionSummary>>;
  /** @throws PatchbayError `function_not_found`, `schema_invalid`, `code_invalid`, `precondition_failed`. */
  replace(id: string, input: FunctionInput, context: RequestContext, ifRevision?: number): Promise<FunctionRow>;
  /** @throws PatchbayError `function_not_found`, `precondition_failed`. */
  delete(id: string, context: RequestContext, ifRevision?: number): Promise<void>;
  /** Newest first by default. @throws PatchbayError `function_not_found`. */
  listVersions(
    id: string,
    page: PageRequest<'version'>,
    context: RequestContext,
  ): Promise<PageResult<Omit<FunctionVersionRow, 'input' | 'output' | 'code' | 'bundleId'>>>;
  /** @throws PatchbayError `function_not_found`, `version_not_found`. */
  getVersion(id: string, version: number, context: RequestContext): Promise<FunctionVersionRow>;
  /** Make an old version the newest again, as a new version. @throws PatchbayError as `getVersion` and `replace`. */
  restore(id: string, version: number, context: RequestContext, ifRevision?: number): Promise<FunctionRow>;
}

/** A function as callers write it: the body of create and replace, of the documented shape but with unchecked schemas and code. */
export interface FunctionInput {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  /** Empty for a function backed by a model. */
  readonly code: string;
  /**
   * The code with everything that it imports, which runs in its place. Absent: that of the previous version, if the
   * code is the same.
   */
  readonly bundle?: BundleInput;
  /** Written as a new version of the function's settings, in the same commit. */
  readonly settings?: FunctionSettings;
}

/** The five fields of a list entry. */
type FunctionSummary = Pick<FunctionRow, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

export interface FunctionServiceDependencies {
  readonly storage: Storage;
  /** Absent: functions are stored, but cannot be executed. */
  readonly executor: Executor | undefined;
  readonly schemas: SchemaService;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** Every change of a function is recorded through it. */
  readonly audit: AuditLog;
  /** The label of settings that are written with a function. Default `production`. */
  readonly settingsLabel?: string;
}

const versionSummary = [
  'id',
  'revision',
  'functionId',
  'version',
  'name',
  'description',
  'packages',
  'contentHash',
  'createdAt',
  'createdBy',
] as const;

export function createFunctionService(dependencies: FunctionServiceDependencies): FunctionService {
  const { storage, executor, audit, schemas, cursors, clock, settingsLabel = DEFAULT_LABEL } = dependencies;
  const lists = { storage, cursors };

  const prepare = async (
    input: FunctionInput,
    kept: IdentifiedBundle | undefined,
    context: RequestContext,
  ): Promise<PreparedInput> => {
    const prepared = await prepareFunction(input, kept, { executor, schemas }, context);
    if (input.settings) {
      await checkSettings(input.settings, input, { schemas, tenant: context.caller.tenant, pointer: '/settings' });
    }
    return prepared;
  };

  /** The changes of the settings of a function; a function without code must have settings. */
  const settingsOf = (
    id: string,
    { settings: values, code }: FunctionInput,
    before: FunctionSettingsRow | undefined,
    { at, by }: { readonly at: string; readonly by: string },
  ): SettingsChange => {
    if (values) return settingsWrites({ functionId: id, values, label: settingsLabel, before, at, by });
    if (code === '' && !before) throw nothingToRun();
    return { writes: [], events: [] };
  };

  const get: FunctionService['get'] = (id, context) => findRow(storage, 'functions', id, context);

  const getVersion = async (id: string, version: number, context: RequestContext): Promise<FunctionVersionRow> => {
    await get(id, context);
    const query = { where: { functionId: id, version }, sort: 'version', order: 'desc', limit: 1 } as const;
    const [row] = (await storage.list(context.caller.tenant, 'functionVersions', query)).rows;
    if (!row) throw new PatchbayError('version_not_found', `the function has no version ${version}`);
    return row;
  };

  const replace: FunctionService['replace'] = async (id, input, context, ifRevision) => {
    const before = await get(id, context);
    // Errors of the body are reported only for existing functions, after the precondition was checked.
    checkRevision('functions', before, ifRevision);
    const given = input.bundle && identified(id, checkBundle(input.bundle));
    const kept = given || input.code !== before.code ? given : await bundleOf(before, context);
    return await replaceWith(before, input, kept, context, ifRevision);
  };

  const bundleOf = ({ bundleId }: Pick<FunctionRow, 'bundleId'>, { caller }: RequestContext) =>
    readBundle(storage, caller.tenant, bundleId);

  const replaceWith = async (
    before: FunctionRow,
    input: FunctionInput,
    kept: IdentifiedBundle | undefined,
    context: RequestContext,
    ifRevision: number | undefined,
  ): Promise<FunctionRow> => {
    const { id } = before;
    const prepared = await prepare(input, kept, context);
    return await retryRefused('too many concurrent changes to the function; read it again', async () => {
      const current = await get(id, context);
      checkRevision('functions', current, ifRevision);
      const updatedAt = laterThan(current.updatedAt, clock);
      const row = { ...current, ...prepared, revision: current.revision + 1, updatedAt };
      const change = { at: updatedAt, by: context.caller.id };
      const found = await storage.get(context.caller.tenant, 'functionSettings', id);
      // Code answers the calls of all labels.
      const ended = found && prepared.code !== '' ? withoutExperiment(found, change) : undefined;
      const settings = settingsOf(id, input, ended?.head ?? found, change);
      const writes: Write[] = [
        { update: 'functions', id, set: { ...prepared, updatedAt }, ifRevision: current.revision },
        { insert: 'functionVersions', row: versionOf(row, context) },
        ...(await bundleWrites(storage, context.caller.tenant, kept, { functionId: id, createdAt: updatedAt })),
        ...(ended?.writes ?? []),
        ...settings.writes,
      ];
      const details = { version: row.revision };
      const result = await audit.commit(context, writes, {
        action: 'function.updated',
        resource: resource(id),
        details,
        announces: [functionStored('function.updated', row), ...(ended?.events ?? []), ...settings.events],
      });
      if (!result.done && result.reason === 'missing') throw notFound('functions');
      return result.done ? row : undefined;
    });
  };

  return {
    get,
    getVersion,
    replace,

    async create(input, context, along = []) {
      requireAllFunctions(context.caller);
      const id = newId('function');
      const kept = input.bundle && identified(id, checkBundle(input.bundle));
      const prepared = await prepare(input, kept, context);
      const createdAt = timestamp(clock);
      const row = { id, revision: 1, ...prepared, createdAt, updatedAt: createdAt };
      const writes: Write[] = [
        { insert: 'functions', row },
        { insert: 'functionVersions', row: versionOf(row, context) },
        ...(await bundleWrites(storage, context.caller.tenant, kept, { functionId: id, createdAt })),
        ...settingsOf(id, input, undefined, { at: createdAt, by: context.caller.id }).writes,
        ...along,
      ];
      const result = await audit.commit(context, writes, {
        action: 'function.created',
        resource: resource(row.id),
        announces: [functionStored('function.created', row)],
      });
      if (result.done) return row;
      if (along.length === 0) throw new Error(`a new id was refused: ${result.reason}`);
      throw new PatchbayError('conflict', 'the function was changed by another request');
    },

    list(page, context) {
      const select = ['id', 'name', 'description', 'createdAt', 'updatedAt'] as const;
      const { functions: ids } = context.caller;
      if (ids) return listAllowed(storage, ids, page, context);
      return listPage(lists, { collection: 'functions', page, select }, context);
    },

    async delete(id, context, ifRevision) {
      const { name } = await get(id, context);
      const writes: Write[] = [
        { delete: 'functions', id, ...(ifRevision === undefined ? {} : { ifRevision }) },
        { deleteWhere: 'functionVersions', where: { functionId: id } },
        { deleteWhere: 'functionBundles', where: { functionId: id } },
        { deleteWhere: 'functionSettings', where: { functionId: id } },
        { deleteWhere: 'settingsVersions', where: { functionId: id } },
        { deleteWhere: 'taskRecords', where: { task: taskKey(name) } },
        { deleteWhere: 'experiments', where: { functionId: id } },
        { deleteWhere: 'datasetExamples', where: { functionId: id } },
        { deleteWhere: 'schedules', where: { functionId: id } },
      ];
      const result = await audit.commit(context, writes, {
        action: 'function.deleted',
        resource: resource(id),
        announces: [functionDeleted(id)],
      });
      if (!result.done) throw deletionError('functions', result.reason);
    },

    async listVersions(id, page, context) {
      await get(id, context);
      const where = { functionId: id };
      return await listPage(lists, { collection: 'functionVersions', where, page, select: versionSummary }, context);
    },

    async restore(id, version, context, ifRevision) {
      const before = await get(id, context);
      checkRevision('functions', before, ifRevision);
      const found = await getVersion(id, version, context);
      const { name, description, input, output, code } = found;
      const content = { name, description, input, output, code };
      return await replaceWith(before, content, await bundleOf(found, context), context, ifRevision);
    },
  };
}

/** For a caller with an allow list, which is short: all on one page, whatever its size. */
async function listAllowed(
  storage: Storage,
  ids: readonly string[],
  { sort, order, offset, limit }: PageRequest,
  { caller }: RequestContext,
): Promise<PageResult<FunctionSummary>> {
  const found = await Promise.all(ids.map((id) => storage.get(caller.tenant, 'functions', id)));
  const direction = order === 'asc' ? 1 : -1;
  const rows = found
    .flatMap((row) => (row ? [row] : []))
    .sort(
      (one, other) => direction * (compareCodePoints(one[sort], other[sort]) || compareCodePoints(one.id, other.id)),
    );
  return { rows: rows.slice(offset, offset + limit), total: rows.length };
}

const resource = (id: string) => ({ type: 'function', id });

function versionOf(row: FunctionRow, context: RequestContext): FunctionVersionRow {
  const { name, description, input, output, code, bundleId, packages, contentHash: hash } = row;
  return {
    id: newId('version'),
    revision: 1,
    functionId: row.id,
    version: row.revision,
    name,
    description,
    input,
    output,
    code,
    bundleId,
    packages,
    contentHash: hash,
    createdAt: row.updatedAt,
    createdBy: context.caller.id,
  };
}

function nothingToRun(): PatchbayError {
  const detail = 'is empty, and no settings say which model implements the function';
  return new PatchbayError('code_invalid', 'the function has neither code nor settings', {
    errors: [{ pointer: '/code', code: 'empty', detail }],
  });
}
