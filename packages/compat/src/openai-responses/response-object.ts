import type { JsonObject } from '@patchbay/core/plugin';
import type { Responses } from 'openai/resources/responses/responses';
import type { ChatAnswer } from '../gateway-types.ts';

/** The members of a response that repeat the request, or state the default that applies otherwise. */
export type RequestEcho = Required<
  Pick<
    Responses.Response,
    | 'background'
    | 'instructions'
    | 'max_output_tokens'
    | 'max_tool_calls'
    | 'metadata'
    | 'parallel_tool_calls'
    | 'previous_response_id'
    | 'prompt_cache_key'
    | 'reasoning'
    | 'safety_identifier'
    | 'service_tier'
    | 'temperature'
    | 'text'
    | 'tool_choice'
    | 'tools'
    | 'top_logprobs'
    | 'top_p'
    | 'truncation'
  >
> & {
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly store: boolean;
};

/** The members of a response that are known before its first piece. */
export type ResponseHead = Pick<ChatAnswer, 'id' | 'model' | 'createdAt'>;

export type Outcome = Pick<Responses.Response, 'status' | 'output'> &
  Partial<Pick<Responses.Response, 'completed_at' | 'error' | 'incomplete_details' | 'usage'>>;

/** Every member is present: clients of Open Responses reject an object that lacks one. */
export function responseObject(head: ResponseHead, echo: RequestEcho, outcome: Outcome): JsonObject {
  const { completed_at = null, error = null, incomplete_details = null, usage = null, ...rest } = outcome;
  const object = {
    id: responseId(head.id),
    object: 'response',
    created_at: secondsOf(head.createdAt),
    completed_at,
    error,
    incomplete_details,
    model: head.model,
    usage,
    ...echo,
    ...rest,
  };
  return object as unknown as JsonObject;
}

/** `chat_01m…` as `resp_01m…`: clients recognize response ids by their prefix. */
export function responseId(id: string): string {
  return `resp_${bareId(id)}`;
}

/** @param index Of the item in the output. */
export function itemId(prefix: 'fc' | 'msg' | 'rs', id: string, index: number): string {
  return `${prefix}_${bareId(id)}_${index}`;
}

const bareId = (id: string): string => id.slice(id.indexOf('_') + 1);

/** Seconds since 1970, of an ISO 8601 date. */
export function secondsOf(date: string): number {
  return Math.floor(Date.parse(date) / 1_000);
}
