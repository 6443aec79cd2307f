import { laterThan, timestamp } from '@patchbay/contracts/base/clock';
import { fitsGlob, nameKey } from '@patchbay/contracts/base/names';
import { findRow, retryRefused } from '@patchbay/contracts/base/stored-rows';
import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { FunctionSettings } from '@patchbay/contracts/function-settings';
import type { FunctionRow, FunctionSettingsRow, SettingsVersionRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Storage, Write } from '@patchbay/contracts/storage';
import type { AuditLog } from '../audit/audit-log.ts';
import { settingsUpdated } from '../events/webhook-outbox.ts';
import { drawVariant } from '../experiments/allocate.ts';
import { taskKey } from '../gateway/model-performance/task-records.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import { checkSettings } from './check-settings.ts';
import { endExperiment, type SettingsChange, settingsWrites, versionId } from './settings-writes.ts';

/** One version of the settings of a function, as it was found. */
export interface StoredSettings {
  readonly functionId: string;
  readonly version: number;
  /** The label by which it was found; absent if the version was requested. */
  readonly label?: string;
  readonly values: FunctionSettings;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** Revision of all settings of the function, for preconditions. */
  readonly revision: number;
}

/** A version in a list: without its values, which can be as large as 1 MiB, and with the labels that point to it. */
export interface SettingsVersion extends Omit<SettingsVersionRow, 'values'> {
  readonly labels: readonly string[];
}

/** Which of the versions is requested. Default: the label `production`. */
export type SettingsChoice = { readonly label: string } | { readonly version: number };

/**
 * The settings of functions, in immutable versions. A label, such as `production`, points to one of them;
 * moving it to an older one is a rollback that takes effect at the next call.
 */
export interface SettingsService {
  /** @throws PatchbayError `function_not_found`, `settings_not_found`. */
  get(functionId: string, choice: SettingsChoice | undefined, context: RequestContext): Promise<StoredSettings>;
  /**
   * Write a new version and point the label, by default `production`, to it.
   *
   * @throws PatchbayError `function_not_found`, `precondition_failed`, `invalid_request` with the members at fault.
   */
  put(
    functionId: string,
    values: FunctionSettings,
    options: { readonly label?: string; readonly ifRevision?: number },
    context: RequestContext,
  ): Promise<StoredSettings>;
  /** @throws PatchbayError `function_not_found`, `settings_not_found`, `precondition_failed`; `conflict` without code. */
  delete(functionId: string, context: RequestContext, ifRevision?: number): Promise<void>;
  /** @throws PatchbayError `function_not_found`. */
  listVersions(
    functionId: string,
    page: PageRequest<'version'>,
    context: RequestContext,
  ): Promise<PageResult<SettingsVersion>>;
  /** @throws PatchbayError `function_not_found`, `settings_not_found`, `precondition_failed`. */
  moveLabel(
    functionId: string,
    label: string,
    version: number,
    context: RequestContext,
    ifRevision?: number,
  ): Promise<StoredSettings>;
  /** Explain the settings that a call would use now, value by value. @throws PatchbayError `function_not_found`. */
  explain(functionId: string, context: RequestContext): Promise<readonly ExplainedSetting[]>;
  /** The settings of this function; the version is 0 if none is stored. */
  resolve(
    row: Pick<FunctionRow, 'id' | 'name'>,
    context: Pick<RequestContext, 'caller' | 'settingsLabel'>,
  ): Promise<{ readonly settings: FunctionSettings; readonly version: number }>;
  /** The same for a call: the version of its trial, or while an experiment runs, one of its variants. */
  resolveCall(
    row: Pick<FunctionRow, 'id' | 'name'>,
    context: RequestContext,
  ): Promise<{ readonly settings: FunctionSettings; readonly version: number }>;
  /** The settings of a call by this name without a stored function. */
  resolveName(name: string): FunctionSettings;
}

export interface SettingsDependencies {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly schemas: SchemaService;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The settings in the config, by pattern of names. */
  readonly configured: Readonly<Record<string, FunctionSettings>>;
  /** The label that calls use. */
  readonly label: string;
  /** Uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

const MAX_LABELS = 20;

/** The part of a request that determines the choice of settings. */
type ChoosingContext = Pick<RequestContext, 'caller' | 'settingsLabel' | 'trial' | 'subject'>;

const versionSummary = ['id', 'revision', 'functionId', 'version', 'createdAt', 'createdBy'] as const;

export function createSettingsService(parts: SettingsDependencies): SettingsService {
  const { storage, audit, schemas, clock, configured, label: callLabel, random = Math.random } = parts;

  const findFunction = (id: string, context: RequestContext) => findRow(storage, 'functions', id, context);

  const findHead = async (id: string, context: RequestContext): Promise<FunctionSettingsRow> => {
    const head = await storage.get(context.caller.tenant, 'functionSettings', id);
    if (!head) throw notFound('the function has no settings');
    return head;
  };

  const findVersion = async (id: string, version: number, context: ChoosingContext): Promise<SettingsVersionRow> => {
    const row = await storage.get(context.caller.tenant, 'settingsVersions', versionId(id, version));
    if (!row) throw notFound(`the settings have no version ${version}`);
    return row;
  };

  /** Change settings, with retries against concurrent changes. */
  const change = async <T>(
    id: string,
    ifRevision: number | undefined,
    context: RequestContext,
    make: (head: FunctionSettingsRow | undefined) => Promise<Change<T>>,
  ): Promise<T> => {
    const changed = await retryRefused('too many concurrent changes to the settings; read them again', async () => {
      const head = await storage.get(context.caller.tenant, 'functionSettings', id);
      if (ifRevision !== undefined && head?.revision !== ifRevision) throw preconditionFailed();
      const { writes, events, details, value } = await make(head);
      const resource = { type: 'function', id };
      const announces = [settingsUpdated(id, 'deleted' in details ? undefined : details), ...events];
      const event = { action: 'function.settings.updated', resource, details, announces } as const;
      const result = await audit.commit(context, writes, event);
      return result.done ? { value } : undefined;
    });
    return changed.value;
  };

  const stored = async (
    { id, name }: Pick<FunctionRow, 'id' | 'name'>,
    context: ChoosingContext,
    isCall: boolean,
  ): Promise<SettingsLayer[]> => {
    const { tenant } = context.caller;
    const tried = isCall ? context.trial?.settingsVersion : undefined;
    if (tried !== undefined) {
      const { values } = await findVersion(id, tried, context);
      return [{ source: `stored (version ${tried})`, values, version: tried }];
    }
    const head = await storage.get(tenant, 'functionSettings', id);
    const label = context.settingsLabel ?? callLabel;
    const experiment = isCall && !context.trial && head?.experiment?.label === label ? head.experiment : undefined;
    const running = experiment && (await storage.get(tenant, 'experiments', experiment.id));
    const version = running ? drawVariant(running, context.subject, random) : head?.labels[label];
    if (version === undefined) return [];
    const { values } = await findVersion(id, version, context);
    const layer = { source: `stored ${label} (version ${version})`, values, version };
    return running ? [layer, withoutExploring(effectiveSettings([...configLayers(configured, name), layer]))] : [layer];
  };

  const layersOf = async (
    row: Pick<FunctionRow, 'id' | 'name'>,
    context: ChoosingContext,
    isCall = false,
  ): Promise<readonly SettingsLayer[]> => [
    ...configLayers(configured, row.name),
    ...(await stored(row, context, isCall)),
  ];

  const resolve = async (row: Pick<FunctionRow, 'id' | 'name'>, context: ChoosingContext, isCall: boolean) => {
    const layers = await layersOf(row, context, isCall);
    const version = layers.reduce((found, layer) => layer.version ?? found, 0);
    return { settings: effectiveSettings(layers), version };
  };

  return {
    async get(functionId, choice = { label: callLabel }, context) {
      await findFunction(functionId, context);
      const head = await findHead(functionId, context);
      if ('version' in choice) return view(await findVersion(functionId, choice.version, context), head);
      const version = Object.hasOwn(head.labels, choice.label) ? head.labels[choice.label] : undefined;
      if (version === undefined) throw notFound(`no version of the settings has the label ${choice.label}`);
      return view(await findVersion(functionId, version, context), head, choice.label);
    },

    async put(functionId, values, { label = callLabel, ifRevision }, context) {
      const { tenant } = context.caller;
      await checkSettings(values, await findFunction(functionId, context), { schemas, tenant, pointer: '' });
      return await change(functionId, ifRevision, context, async (before) => {
        checkLabels(before, label);
        const at = before ? laterThan(before.updatedAt, clock) : timestamp(clock);
        const made = settingsWrites({ functionId, values, label, before, at, by: context.caller.id });
        const { writes, events, version, head } = made;
        return { writes, events, details: { version: version.version, label }, value: view(version, head, label) };
      });
    },

    async delete(functionId, context, ifRevision) {
      const { code, name } = await findFunction(functionId, context);
      if (code === '') {
        throw new PatchbayError('conflict', 'the function has no code and needs its settings');
      }
      await findHead(functionId, context);
      await change(functionId, ifRevision, context, async (head) => {
        if (!head) throw notFound('the function has no settings');
        const writes: Write[] = [
          { delete: 'functionSettings', id: functionId, ifRevision: head.revision },
          { deleteWhere: 'settingsVersions', where: { functionId } },
          // Versions begin at 1 again.
          { deleteWhere: 'taskRecords', where: { task: taskKey(name) } },
          { deleteWhere: 'experiments', where: { functionId } },
        ];
        return { writes, events: [], details: { deleted: true }, value: undefined };
      });
    },

    async listVersions(functionId, page, context) {
      await findFunction(functionId, context);
      const head = await storage.get(context.caller.tenant, 'functionSettings', functionId);
      const query = { collection: 'settingsVersions', where: { functionId }, page, select: versionSummary } as const;
      const { rows, ...rest } = await listPage(parts, query, context);
      return { ...rest, rows: rows.map((row) => ({ ...row, labels: labelsOf(head, row.version) })) };
    },

    async moveLabel(functionId, label, version, context, ifRevision) {
      await findFunction(functionId, context);
      await findHead(functionId, context);
      return await change(functionId, ifRevision, context, async (head) => {
        if (!head) throw notFound('the function has no settings');
        const row = await findVersion(functionId, version, context);
        checkLabels(head, label);
        const updatedAt = laterThan(head.updatedAt, clock);
        const labels = { ...head.labels, [label]: version };
        const { experiment, writes: ends, events } = endExperiment(head, label, updatedAt);
        const set = { labels, experiment, updatedAt, updatedBy: context.caller.id };
        const writes: Write[] = [
          { update: 'functionSettings', id: functionId, set, ifRevision: head.revision },
          ...ends,
        ];
        const after = { ...head, ...set, revision: head.revision + 1 };
        return { writes, events, details: { version, label }, value: view(row, after, label) };
      });
    },

    async explain(functionId, context) {
      return explainSettings(await layersOf(await findFunction(functionId, context), context));
    },

    resolve: (row, context) => resolve(row, context, false),

    resolveCall: (row, context) => resolve(row, context, true),

    resolveName: (name) => effectiveSettings(configLayers(configured, name)),
  };
}

interface Change<T> extends SettingsChange {
  readonly details: { readonly version: number; readonly label: string } | { readonly deleted: true };
  readonly value: T;
}

function view(row: SettingsVersionRow, head: FunctionSettingsRow, label?: string): StoredSettings {
  const { functionId, version, values } = row;
  const { updatedAt, updatedBy, revision } = head;
  return { functionId, version, values, updatedAt, updatedBy, revision, ...(label === undefined ? {} : { label }) };
}

function labelsOf(head: FunctionSettingsRow | undefined, version: number): readonly string[] {
  return Object.entries(head?.labels ?? {}).flatMap(([label, found]) => (found === version ? [label] : []));
}

function checkLabels(head: FunctionSettingsRow | undefined, label: string): void {
  const labels = Object.keys(head?.labels ?? {});
  if (labels.length < MAX_LABELS || labels.includes(label)) return;
  throw new PatchbayError('conflict', `the settings already have ${MAX_LABELS} labels; move one of them`);
}

function notFound(message: string): PatchbayError {
  return new PatchbayError('settings_not_found', message);
}

function preconditionFailed(): PatchbayError {
  return new PatchbayError('precondition_failed', 'the settings were changed since they were read; read them again');
}

/** A model that is tried would be counted as part of the variant. */
function withoutExploring({ routing }: FunctionSettings): SettingsLayer {
  return { source: 'experiment', values: { routing: { ...routing, explore: false } } };
}

/** A value that a call would use, and its source. */
export interface ExplainedSetting {
  readonly name: keyof FunctionSettings;
  readonly value: NonNullable<FunctionSettings[keyof FunctionSettings]>;
  /** `default`, `config summarize*`, `stored production (version 3)` or `call`. */
  readonly source: string;
}

/** Settings together with where they come from. */
export interface SettingsLayer {
  readonly source: string;
  /** Of stored settings. */
  readonly version?: number;
  readonly values: FunctionSettings;
}

const builtIn: SettingsLayer = { source: 'default', values: { model: 'auto', repairs: 2, cacheSeconds: 0 } };

/** The layers of the config for a function name, in the order of the config: the last one wins. */
export function configLayers(
  byPattern: Readonly<Record<string, FunctionSettings>>,
  functionName: string,
): readonly SettingsLayer[] {
  const patterns = Object.entries(byPattern);
  if (patterns.length === 0) return [];
  const key = nameKey(functionName);
  return patterns
    .filter(([pattern]) => fitsGlob(pattern, functionName) || fitsGlob(pattern, key))
    .map(([pattern, values]) => ({ source: `config ${pattern}`, values }));
}

/**
 * The settings of a call: for each, the value of the last layer that has it. Layers are not merged within a setting, so
 * that a reader finds all of it in one place.
 */
export function explainSettings(layers: readonly SettingsLayer[]): readonly ExplainedSetting[] {
  const found = new Map<string, ExplainedSetting>();
  for (const { source, values } of [builtIn, ...layers]) {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) found.set(name, { name: name as keyof FunctionSettings, value, source });
    }
  }
  return [...found.values()];
}

export function effectiveSettings(layers: readonly SettingsLayer[]): FunctionSettings {
  if (layers.length === 0) return builtIn.values;
  return Object.fromEntries(explainSettings(layers).map(({ name, value }) => [name, value])) as FunctionSettings;
}
