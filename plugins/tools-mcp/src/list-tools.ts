import type { Client, Tool } from '@modelcontextprotocol/client';
import type { ServerTool } from '@patchbay/core/plugin';

/** A list with more pages than this counts as endless. */
const MAX_PAGES = 50;

/** More characters of JSON than this are not kept: each page can be as large as a response. */
const MAX_LIST_LENGTH = 8_388_608;

/** The tools of a server, as it sent them. */
export interface ListedTools {
  readonly tools: readonly Tool[];
  /** Whether there were more. */
  readonly isCut: boolean;
}

/** Read the pages of the list, until there are enough tools. */
export async function listTools(
  client: Client,
  most: number,
  signal: AbortSignal,
  timeout: number,
): Promise<ListedTools> {
  const tools: Tool[] = [];
  if (client.getServerCapabilities()?.tools === undefined) return { tools, isCut: false };
  let cursor: string | undefined;
  let length = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    // `client.listTools` reads all pages, whatever their size together.
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, { signal, timeout });
    length += JSON.stringify(listed.tools).length;
    if (length > MAX_LIST_LENGTH) return { tools: tools.slice(0, most), isCut: true };
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (tools.length > most || cursor === undefined) break;
  }
  return { tools: tools.slice(0, most), isCut: tools.length > most || cursor !== undefined };
}

export function serverTool({ name, description, inputSchema, outputSchema }: Tool): ServerTool {
  return {
    name,
    ...(description !== undefined && { description }),
    input: inputSchema as ServerTool['input'],
    ...(outputSchema && { output: outputSchema as NonNullable<ServerTool['output']> }),
  };
}
