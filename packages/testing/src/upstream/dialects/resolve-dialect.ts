import { anthropic } from './anthropic.ts';
import { completeDialect, type Dialect, type UpstreamDialect } from './dialect.ts';
import { google } from './google.ts';
import { openaiResponses } from './openai-responses.ts';
import { openai } from './openai-server.ts';

const known = { openai, 'openai-responses': openaiResponses, anthropic, google } as const;

/** APIs that the upstream server speaks by itself. */
export type KnownDialect = keyof typeof known;

export function resolveDialect(dialect: KnownDialect | UpstreamDialect): Dialect {
  return typeof dialect === 'string' ? known[dialect] : completeDialect(dialect);
}
