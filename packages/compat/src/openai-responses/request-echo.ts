import type OpenAI from 'openai';
import type { RequestEcho } from './response-object.ts';

type Params = OpenAI.Responses.ResponseCreateParams;

/** The members of a request that its response repeats, with the defaults of the API. The request has been checked. */
export function requestEcho(request: Params): RequestEcho {
  const { text, reasoning, tools, service_tier: tier } = request;
  return {
    background: false,
    frequency_penalty: 0,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: tier === 'auto' || !tier ? 'default' : tier,
    // Responses are not stored, but their items can be referenced for an hour.
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: text?.format ?? { type: 'text' }, verbosity: text?.verbosity ?? 'medium' },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (tools ?? []).map((tool) => ({
      description: null,
      parameters: null,
      strict: null,
      ...tool,
    })) as typeof tools & {},
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
  };
}
