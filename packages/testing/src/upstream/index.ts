export type { AnswerStream, Refusal, RefusalCause, StreamEvent, UpstreamDialect } from './dialects/dialect.ts';
export type { KnownDialect } from './dialects/resolve-dialect.ts';
export type { Exchange, Reply } from './exchange.ts';
export { startUpstream, type UpstreamOptions } from './start-upstream.ts';
export type { Upstream } from './upstream.ts';
export type { CompleteAnswer, UpstreamAnswer } from './upstream-answer.ts';
export { type UpstreamFaultCase, upstreamFaults } from './upstream-faults.ts';
export { upstreamReplies } from './upstream-replies.ts';
export type { UpstreamRequest } from './upstream-request.ts';
