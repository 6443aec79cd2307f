import type { OwnLimits } from './limits.ts';

/** Names that are let in and kept out. `deny` goes before `allow`; no `allow` lets everything in. */
export interface NameFilter {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/**
 * Which names may be called that no function has: all (`allow`), those that are called with the shape of their output
 * (`declared`), none (`deny`). A model answers them, so a slip of the pen can cost money and look like an answer.
 */
export type DynamicCalls = 'allow' | 'declared' | 'deny';

/** What one tenant may use, as the operator configured it. Absent members allow everything. */
export interface TenantPolicy {
  /** Ids of models, such as `openai/gpt-5`; `openai/*` stands for all of a provider. */
  readonly models?: NameFilter;
  /** Names under which providers are mounted. */
  readonly providers?: NameFilter;
  /** Which functions that nobody stored may be called by name. Default: what the config says for all. */
  readonly dynamicCalls?: DynamicCalls;
  readonly limits?: OwnLimits;
}
