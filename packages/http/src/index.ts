/**
 * The HTTP API of Patchbay as a table of operations, and what puts it on a server.
 *
 * @module
 */

export { type Api, type ApiOptions, createApi, type OperationCall, type OperationMiddleware } from './api.ts';
export type { CorsOptions } from './cors.ts';
export type { AccessLogMode, AccessLogOptions } from './exchange.ts';
export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './fetch-handler.ts';
export type { IncomingRequest, ReceivedBody } from './incoming-request.ts';
export { type NodeMessage, NodeRequest, sendReply, serveMessage } from './node/node-exchange.ts';
export { createNodeListener, type NodeListener, type NodeListenerOptions } from './node/node-listener.ts';
export { bodyOf, defineOperation, definePublicOperation, type Operation } from './operation.ts';
export { type OperationId, operations } from './operations/operations.ts';
export { sessionOperations } from './operations/sessions.ts';
export { type ContentEncoding, chooseEncoding } from './output/content-encoding.ts';
export { problemReply } from './output/problem.ts';
export type { Reply, WireReply } from './output/wire.ts';
export { apiVersion } from './output/wire.ts';
export { createOpenApiDocument } from './reference/openapi.ts';
export type { BasePath, Route, RouteMatch } from './routing.ts';
