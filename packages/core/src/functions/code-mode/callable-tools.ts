import type { RequestContext } from '@patchbay/contracts/context';
import type { JsonObject } from '@patchbay/contracts/json';
import { hasScope } from '../../access/callers.ts';
import type { MountedTool } from '../../tools/admit-tools.ts';
import type { ToolCatalog } from '../../tools/tool-catalog.ts';
import type { Called } from '../host-calls/served-calls.ts';
import { toolValue } from '../host-calls/tool-calls.ts';
import { declaredTool } from '../types/with-tool-types.ts';
import { createSearchIndex } from './search-index.ts';

/** The tools of mounted servers that a program can call, as `functions["docs.search"](…)`. */
export interface CallableTools {
  /** By their ids. */
  readonly byId: ReadonlyMap<string, MountedTool>;
  search(query: string): readonly string[];
  call(tool: MountedTool, input: JsonObject, context: RequestContext): Promise<Called>;
}

/** Those of a caller: none without the scope `tools:call`. */
export async function callableTools(catalog: ToolCatalog, context: RequestContext): Promise<CallableTools> {
  const tools = hasScope(context.caller, 'tools:call') ? await catalog.list(context) : [];
  return {
    byId: new Map(tools.map((tool) => [tool.id, tool])),
    search: (query) => (tools.length === 0 ? [] : createSearchIndex(tools.map(searched))(query)),
    async call(tool, input, within) {
      return { output: toolValue(tool, await catalog.call(tool, input, within)) };
    },
  };
}

const searched = (tool: MountedTool) => ({ ...declaredTool(tool), id: tool.id });
