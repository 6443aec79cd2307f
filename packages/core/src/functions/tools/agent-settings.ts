import type { RequestContext } from '../../contracts/context.ts';
import type { FunctionRow } from '../../contracts/rows.ts';
import type { SettingsService } from '../../settings/settings-service.ts';

/** The part of a function's settings that concerns agents. */
export interface AgentSettings {
  /** Whether the function is a tool, and is found in code mode: unless its settings have `mcp.expose: false`. */
  readonly isExposed: boolean;
  /** Whether its calls are tasks, of agents that know tasks. */
  readonly isTask: boolean;
}

export async function agentSettingsOf(
  row: FunctionRow,
  settings: Pick<SettingsService, 'resolve'>,
  context: RequestContext,
): Promise<AgentSettings> {
  const { mcp } = (await settings.resolve(row, context)).settings;
  return { isExposed: mcp?.expose !== false, isTask: mcp?.task === true };
}
