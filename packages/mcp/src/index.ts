/**
 * The functions of Patchbay as tools of agents: a server of the Model Context Protocol, without HTTP.
 *
 * @module
 */
import type { App } from '@patchbay/core';
import type { McpRequest, McpResponse } from './respond.ts';

export { type BridgeOptions, bridge } from './bridge.ts';
export { isCodeTool } from './code-tools.ts';
export type { McpRequest, McpResponse };

/**
 * Respond to a message of a client, of any revision of the protocol that is in use. Nothing is kept between messages: a
 * server of the protocol is created for each, with the rights of its caller.
 */
export async function respond(request: McpRequest, app: App): Promise<McpResponse> {
  // Loading the SDK takes a tenth of the CPU time of a start: most servers have no agents.
  const { answer } = await import('./respond.ts');
  return await answer(request, app);
}
