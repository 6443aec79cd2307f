import type { JsonValue } from '../../contracts/json.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import type { TokenCounts } from '../../gateway/gateway-service.ts';

/** The model that ran a function without code. */
interface ModelUse {
  readonly model: string;
  /** The output was cached, and no model was called. */
  readonly cached: boolean;
  readonly tokens: TokenCounts;
  readonly warnings: readonly string[];
}

/** Undefined for a function with code, which runs without a model. */
export function modelUseOf({ usage, logs }: Pick<ExecutionRow, 'usage' | 'logs'>): ModelUse | undefined {
  const recorded = (usage ?? {}) as Partial<TokenCounts & { readonly model: string; readonly cached: boolean }>;
  const { model, cached = false, promptTokens = 0, completionTokens = 0, totalTokens = 0 } = recorded;
  if (model === undefined) return undefined;
  return { model, cached, tokens: { promptTokens, completionTokens, totalTokens }, warnings: warningsOf(logs) };
}

/** The logs of an execution by a model contain the warnings of its request. */
function warningsOf(logs: ExecutionRow['logs']): readonly string[] {
  return logs.flatMap((line) => {
    const { level, message } = line as Readonly<Record<string, JsonValue>>;
    return level === 'warn' && typeof message === 'string' ? [message] : [];
  });
}
