/**
 * The functions of Patchbay as tools of agents: a server of the Model Context Protocol, without HTTP.
 *
 * @module
 */
export { type BridgeOptions, bridge } from './bridge.ts';
export { isCodeTool } from './code-tools.ts';
export { type McpRequest, type McpResponse, respond } from './respond.ts';
