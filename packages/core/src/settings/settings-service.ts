import type { RequestContext } from '../contracts/context.ts';
import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { FunctionRow, SettingsVersionRow } from '../contracts/rows.ts';
import type { PageRequest, PageResult } from '../paging/list-page.ts';
import type { ExplainedSetting } from './effective-settings.ts';

/** One version of the settings of a function, as it was found. */
export interface StoredSettings {
  readonly functionId: string;
  readonly version: number;
  /** The label by which it was found; absent where the version was asked for. */
  readonly label?: string;
  readonly values: FunctionSettings;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** Of all settings of the function: for preconditions. */
  readonly revision: number;
}

/** A version in a list, with the labels that stand for it. */
export interface SettingsVersion extends SettingsVersionRow {
  readonly labels: readonly string[];
}

/** Which of the versions is asked for. Default: the label `production`. */
export type SettingsChoice = { readonly label: string } | { readonly version: number };

/**
 * What functions ask of models, in versions that never change. A label, such as `production`, stands for one of them;
 * moving it to an older one is a rollback that takes effect with the next call.
 */
export interface SettingsService {
  /** @throws PatchbayError `function_not_found`, `settings_not_found`. */
  get(functionId: string, choice: SettingsChoice | undefined, context: RequestContext): Promise<StoredSettings>;
  /**
   * Write a new version and let the label, by default `production`, stand for it.
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
  /** What a call would use now, value by value. @throws PatchbayError `function_not_found`. */
  explain(functionId: string, context: RequestContext): Promise<readonly ExplainedSetting[]>;
  /** What a call of this function uses; the version is 0 where none is stored. */
  resolve(
    row: Pick<FunctionRow, 'id' | 'name'>,
    context: RequestContext,
  ): Promise<{ readonly settings: FunctionSettings; readonly version: number }>;
  /** What a call of this name uses where no function is stored. */
  resolveName(name: string): FunctionSettings;
}
