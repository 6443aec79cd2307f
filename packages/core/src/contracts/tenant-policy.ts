import type { OwnLimits } from './limits.ts';

/** Names that are let in and kept out. `deny` goes before `allow`; no `allow` lets everything in. */
export interface NameFilter {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** What one tenant may use, as the operator configured it. Absent members allow everything. */
export interface TenantPolicy {
  /** Ids of models, such as `openai/gpt-5`; `openai/*` stands for all of a provider. */
  readonly models?: NameFilter;
  /** Names under which providers are mounted. */
  readonly providers?: NameFilter;
  /** Whether functions that nobody stored may be called by name. Default true. */
  readonly dynamicCalls?: boolean;
  readonly limits?: OwnLimits;
}
