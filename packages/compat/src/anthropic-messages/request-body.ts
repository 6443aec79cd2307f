import type Anthropic from '@anthropic-ai/sdk';
import type { Routing } from '../gateway-types.ts';

type Stable = Anthropic.MessageCreateParamsNonStreaming;
type Beta = Anthropic.Beta.MessageCreateParamsNonStreaming;

/** Members that newer versions of the SDK no longer have, or only as betas, and that clients send. */
interface FurtherMembers extends Pick<Beta, 'output_format' | 'mcp_servers' | 'thread'> {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly routing?: Routing;
}

/** A request of Anthropic, and what Patchbay accepts in addition. */
export type MessagesBody = Stable & FurtherMembers;

/** Members that the gateway has under other names. */
const mapped = {
  max_tokens: true,
  messages: true,
  model: true,
  output_config: true,
  output_format: true,
  routing: true,
  stop_sequences: true,
  stream: true,
  system: true,
  temperature: true,
  thinking: true,
  tool_choice: true,
  tools: true,
  top_p: true,
} as const;

/** Members without which an answer is still a good one. Only models with this API receive them. */
const dropped = {
  betas: true,
  billing_policy: true,
  cache_control: true,
  compaction: true,
  context_management: true,
  diagnostics: true,
  fallback_credit_token: true,
  fallbacks: true,
  metadata: true,
  service_tier: true,
  speed: true,
  top_k: true,
  user_profile_id: true,
  workspace_id: true,
} as const;

/** Members whose loss would change more than the answer: where data may be, and what Anthropic holds or runs. */
const rejected = {
  container: 'is not supported for this model: containers run at Anthropic, for its models only',
  inference_geo: 'is not supported for this model: only Anthropic can promise where its models run',
  mcp_servers: 'is not supported for this model: Anthropic calls MCP servers for its own only',
  thread: 'is not supported: no conversation is kept here, so send all of its messages',
} as const;

/** The fate of every member of a request. A new one from Anthropic does not compile until it is decided here. */
export const requestMembers = { mapped, dropped, rejected } as const;
({ ...mapped, ...dropped, ...rejected }) satisfies Record<keyof Stable | keyof Beta | keyof FurtherMembers, unknown>;
