import type { JsonValue } from '@patchbay/contracts/json';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { TokenCounts } from '../../gateway/gateway-service.ts';

/** The models that an execution used. */
interface ModelUse {
  /** The model that ran a function without code. Code may call several. */
  readonly model?: string;
  /** Version of the stored settings that it used. */
  readonly settingsVersion?: number | null;
  /** The output was cached, and no model was called. */
  readonly cached: boolean;
  readonly tokens: TokenCounts;
  readonly warnings: readonly string[];
}

export function modelUseOf({ usage, logs }: Pick<ExecutionRow, 'usage' | 'logs'>): ModelUse {
  const recorded = (usage ?? {}) as Partial<
    TokenCounts & { readonly model: string; readonly settingsVersion: number; readonly cached: boolean }
  >;
  const { model, settingsVersion, cached = false, promptTokens = 0, completionTokens = 0, totalTokens = 0 } = recorded;
  const tokens = { promptTokens, completionTokens, totalTokens };
  return model === undefined
    ? { cached: false, tokens, warnings: [] }
    : { model, settingsVersion: settingsVersion || null, cached, tokens, warnings: warningsOf(logs) };
}

/** The logs of an execution by a model contain the warnings of its request. */
function warningsOf(logs: ExecutionRow['logs']): readonly string[] {
  return logs.flatMap((line) => {
    const { level, message } = line as Readonly<Record<string, JsonValue>>;
    return level === 'warn' && typeof message === 'string' ? [message] : [];
  });
}
