import { z } from 'zod';

// Written from the specification of Open Responses: what must be there in responses and in the events of streams.

const status = z.enum(['in_progress', 'completed', 'incomplete']);
const output = z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(z.object({})) });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const summary = z.object({ type: z.literal('summary_text'), text: z.string() });

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    content: z.array(z.union([output, refusal])),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal('reasoning'), id: z.string(), summary: z.array(summary) }),
]);

const tool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
const usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

/** Every member is present, null where it is empty. */
export const responseSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(tool),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.object({ type: z.string() })]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.string() }), verbosity: z.enum(['low', 'medium', 'high']).optional() }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const event = <T extends string, M extends z.ZodRawShape>(type: T, members: M) =>
  z.object({ type: z.literal(`response.${type}`), sequence_number: z.int(), ...members });
const place = { item_id: z.string(), output_index: z.int() };
const within = { ...place, content_index: z.int() };
const whole = { response: responseSchema };
const ofItem = { output_index: z.int(), item };
const ofPart = { ...within, part: z.union([output, refusal]) };

export const eventSchema = z.discriminatedUnion('type', [
  event('created', whole),
  event('in_progress', whole),
  event('completed', whole),
  event('incomplete', whole),
  event('failed', whole),
  event('output_item.added', ofItem),
  event('output_item.done', ofItem),
  event('content_part.added', ofPart),
  event('content_part.done', ofPart),
  event('output_text.delta', { ...within, delta: z.string() }),
  event('output_text.done', { ...within, text: z.string() }),
  event('function_call_arguments.delta', { ...place, delta: z.string() }),
  event('function_call_arguments.done', { ...place, arguments: z.string() }),
  z.object({
    type: z.literal('error'),
    sequence_number: z.int(),
    error: z.object({
      type: z.string(),
      code: z.string().nullable(),
      message: z.string(),
      param: z.string().nullable(),
    }),
  }),
]);
export type OpenResponse = z.infer<typeof responseSchema>;
export type OpenEvent = z.infer<typeof eventSchema>;
