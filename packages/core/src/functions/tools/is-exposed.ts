import type { RequestContext } from '../../contracts/context.ts';
import type { FunctionRow } from '../../contracts/rows.ts';
import type { SettingsService } from '../../settings/settings-service.ts';

/** Whether agents see a function: unless its settings have `mcp.expose: false`. */
export async function isExposed(
  row: FunctionRow,
  settings: Pick<SettingsService, 'resolve'>,
  context: RequestContext,
): Promise<boolean> {
  return (await settings.resolve(row, context)).settings.mcp?.expose !== false;
}
