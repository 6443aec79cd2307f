import { readFileSync } from 'node:fs';
import type Anthropic from '@anthropic-ai/sdk';
import { PatchbayError } from '@patchbay/core/plugin';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parseMessagesRequest } from './anthropic-messages/parse-request.ts';
import { requestMembers as anthropicMembers } from './anthropic-messages/request-body.ts';
import { parseChatRequest } from './openai-chat/parse-request.ts';
import { requestMembers as openaiMembers } from './openai-chat/request-members.ts';
import { parseResponsesRequest } from './openai-responses/parse-request.ts';
import { requestMembers as responsesMembers } from './openai-responses/request-members.ts';

type NamesOf<T> = T extends T ? keyof T & string : never;
type Names<T> = Readonly<Record<NamesOf<T>, true>>;
type Fate = 'mapped' | 'dropped' | 'rejected';

const call = { id: 'a', type: 'function', function: { name: 'find', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'find' } };
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };

/** A value that asks for something, for each member of a request that is dropped or rejected. */
const openaiValues = {
  audio: { voice: 'alloy', format: 'wav' },
  logit_bias: { 50256: -100 },
  logprobs: true,
  metadata: { a: 'b' },
  modalities: ['text', 'audio'],
  moderation: { model: 'm' },
  n: 2,
  prediction: { type: 'content', content: 'a' },
  prompt_cache_key: 'key',
  prompt_cache_options: {},
  prompt_cache_retention: '24h',
  safety_identifier: 'user',
  service_tier: 'priority',
  store: true,
  top_logprobs: 2,
  user: 'user',
  verbosity: 'low',
  web_search_options: {},
} as const satisfies Record<keyof typeof openaiMembers.dropped | keyof typeof openaiMembers.rejected, unknown>;

const anthropicValues = {
  betas: ['a'],
  billing_policy: {},
  cache_control: { type: 'ephemeral' },
  compaction: {},
  container: 'container_1',
  context_management: { edits: [] },
  diagnostics: {},
  fallback_credit_token: 'token',
  fallbacks: {},
  inference_geo: 'eu',
  mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a' }],
  metadata: { user_id: 'user' },
  service_tier: 'auto',
  speed: 'fast',
  thread: { id: 'thread_1' },
  top_k: 5,
  user_profile_id: 'user',
  workspace_id: 'workspace',
} as const satisfies Record<keyof typeof anthropicMembers.dropped | keyof typeof anthropicMembers.rejected, unknown>;

const responsesValues = {
  access_programs: {},
  background: true,
  context_management: [],
  conversation: 'conv_1',
  image: {},
  max_tool_calls: 2,
  metadata: { a: 'b' },
  moderation: { model: 'm' },
  previous_response_id: 'resp_1',
  prompt: { id: 'prompt_1' },
  prompt_cache_key: 'key',
  prompt_cache_options: {},
  prompt_cache_retention: '24h',
  safety_identifier: 'user',
  service_tier: 'priority',
  top_logprobs: 2,
  truncation: 'auto',
  user: 'user',
} as const satisfies Record<keyof typeof responsesMembers.dropped | keyof typeof responsesMembers.rejected, unknown>;

/** Members within a request that the SDK knows: with a new version, this does not compile until they are in the page. */
const openaiNested = [
  { role: true, content: true, name: true } satisfies Names<OpenAI.ChatCompletionSystemMessageParam>,
  { role: true, content: true, name: true } satisfies Names<OpenAI.ChatCompletionUserMessageParam>,
  {
    role: true,
    content: true,
    name: true,
    audio: true,
    function_call: true,
    refusal: true,
    tool_calls: true,
  } satisfies Names<OpenAI.ChatCompletionAssistantMessageParam>,
  { role: true, content: true, tool_call_id: true } satisfies Names<OpenAI.ChatCompletionToolMessageParam>,
  {
    text: true,
    image_url: true,
    input_audio: true,
    file: true,
  } satisfies Record<OpenAI.ChatCompletionContentPart['type'], true>,
  { name: true, description: true, parameters: true, strict: true } satisfies Names<OpenAI.FunctionDefinition>,
  { include_usage: true, include_obfuscation: true } satisfies Names<OpenAI.ChatCompletionStreamOptions>,
];

const anthropicNested = [
  {
    text: true,
    image: true,
    document: true,
    search_result: true,
    thinking: true,
    redacted_thinking: true,
    tool_use: true,
    tool_result: true,
    server_tool_use: true,
    web_search_tool_result: true,
    web_fetch_tool_result: true,
    code_execution_tool_result: true,
    bash_code_execution_tool_result: true,
    text_editor_code_execution_tool_result: true,
    tool_search_tool_result: true,
    container_upload: true,
  } satisfies Record<Anthropic.ContentBlockParam['type'], true>,
  { effort: true, format: true } satisfies Partial<Names<Anthropic.OutputConfig>>,
  { enabled: true, disabled: true, adaptive: true } satisfies Partial<
    Record<Anthropic.ThinkingConfigParam['type'], true>
  >,
];

/** The paths that a parser announces or leaves out, or the path that it rejects. */
function outcomeOf(parse: (body: unknown) => ReturnType<typeof parseChatRequest> | object, body: object) {
  try {
    const { warnings, announced } = parse(body) as { warnings: readonly string[]; announced: readonly string[] };
    return [...warnings, ...announced].map((warning) => `dropped ${warning.split(' ')[0]}`);
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    return [`rejected ${error.errors[0]?.pointer.slice(1)}`];
  }
}

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/reference/${name}-compatibility.md`, import.meta.url), 'utf8');

/** The fate of each member in the page's table of the request. */
function fatesIn(text: string): ReadonlyMap<string, string> {
  const [, section = ''] = /^#+ Request\n([\s\S]*?)\n#/m.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [, names = '', fate = ''] = row.split(' | ').flatMap((cell, index) => (index === 0 ? ['', cell] : [cell]));
      return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => [name, fate.trim()] as const);
    }),
  );
}

describe.each([
  {
    api: 'openai',
    parse: parseChatRequest,
    base: { model: 'acme/model', messages: [{ role: 'user', content: 'Hi' }] },
    members: openaiMembers as Readonly<Record<Fate, object>>,
    values: openaiValues as Readonly<Record<string, unknown>>,
    nested: openaiNested,
  },
  {
    api: 'anthropic',
    parse: parseMessagesRequest,
    base: { model: 'acme/model', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    members: anthropicMembers as Readonly<Record<Fate, object>>,
    values: anthropicValues as Readonly<Record<string, unknown>>,
    nested: anthropicNested,
  },
  {
    api: 'responses',
    parse: parseResponsesRequest,
    base: { model: 'acme/model', input: 'Hi' },
    members: responsesMembers as Readonly<Record<Fate, object>>,
    values: responsesValues as Readonly<Record<string, unknown>>,
    nested: [{ message: true, function_call: true, function_call_output: true, reasoning: true, item_reference: true }],
  },
])('the reference page of $api', ({ api, parse, base, members, values, nested }) => {
  const text = page(api);
  const fates = fatesIn(text);
  const named = (['mapped', 'dropped', 'rejected'] as const).flatMap((fate) =>
    Object.keys(members[fate]).map((name) => ({ name, fate })),
  );

  it.each(named)('says that $name is $fate', ({ name, fate }) => {
    expect(fates.get(name)).toMatch(new RegExp(`^(required, )?${fate}`));
  });

  it('names no member that is not in the table of the parser', () => {
    expect([...fates.keys()].filter((name) => !named.some((each) => each.name === name))).toEqual([]);
  });

  it.each(named.filter(({ fate }) => fate !== 'mapped'))('is right: $name is $fate', ({ name, fate }) => {
    expect(outcomeOf(parse, { ...base, [name]: values[name] })).toEqual([`${fate} ${name}`]);
  });

  it('names every member of messages, parts and tools that the SDK has', () => {
    const names = nested.flatMap((record) => Object.keys(record));
    expect(names.filter((name) => !text.includes(`\`${name}\``) && !text.includes(`.${name}\``))).toEqual([]);
  });
});

describe('members that no parser reads', () => {
  const openai = (messages: readonly object[], more: object = {}) =>
    outcomeOf(parseChatRequest, { model: 'm', messages, ...more });
  const anthropic = (messages: readonly object[], more: object = {}) =>
    outcomeOf(parseMessagesRequest, { model: 'm', max_tokens: 9, messages, ...more });
  const user = { role: 'user', content: 'Hi' };

  it.each([
    [openai([{ ...user, x: 1 }]), ['dropped messages[].x']],
    [openai([{ role: 'user', content: [{ type: 'text', text: 'Hi', x: 1 }] }]), ['dropped content[].x']],
    [
      openai([{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com', x: 1 } }] }]),
      ['dropped messages[].content[].image_url.x'],
    ],
    [
      openai([
        { role: 'assistant', tool_calls: [{ ...call, x: 1 }] },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ]),
      ['dropped messages[].tool_calls[].x'],
    ],
    [openai([user], { tools: [{ ...tool, x: 1 }] }), ['dropped tools[].x']],
    [openai([user], { tools: [tool], tool_choice: { ...tool, x: 1 } }), ['dropped tool_choice.x']],
    [openai([user], { stream: true, stream_options: { x: 1 } }), ['dropped stream_options.x']],
    [anthropic([{ ...user, x: 1 }]), ['dropped messages[].x']],
    [anthropic([{ role: 'user', content: [{ ...image, x: 1 }] }]), ['dropped image.x']],
    [
      anthropic([{ role: 'user', content: [{ ...image, source: { ...image.source, x: 1 } }] }]),
      ['dropped messages[].content[].source.x'],
    ],
    [anthropic([user], { thinking: { type: 'disabled', budget_tokens: 9 } }), ['dropped thinking.budget_tokens']],
    [anthropic([user], { output_config: { x: 1 } }), ['dropped output_config']],
  ])('are named on every level: %j', (outcome, expected) => {
    expect(outcome).toEqual(expected);
  });
});
