import type Anthropic from '@anthropic-ai/sdk';
import type { Routing } from '../gateway-types.ts';

/** Members that newer versions of the SDK no longer have, or only as betas, and that clients send. */
interface FurtherMembers extends Pick<Anthropic.Beta.MessageCreateParamsNonStreaming, 'output_format' | 'mcp_servers'> {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly routing?: Routing;
}

/** A request of Anthropic, and what Patchbay accepts beside it. */
export type MessagesBody = Anthropic.MessageCreateParamsNonStreaming & FurtherMembers;
