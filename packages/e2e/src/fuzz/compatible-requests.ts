import type { ValidRequest } from './mutate-request.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const image = 'data:image/png;base64,iVBORw0KGgo=';

const chat = {
  model: 'demo/extractive',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'image_url', image_url: { url: image, detail: 'low' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Of a city', parameters, strict: true } }],
  tool_choice: 'auto',
  max_completion_tokens: 50,
  temperature: 1,
  stop: ['END'],
  routing: { optimize: 'cost', fallbacks: ['demo/extractive'] },
  metadata: { a: 'b' },
};

const message = {
  model: 'demo/extractive',
  max_tokens: 50,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'document', title: 'a', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain', is_error: false }] },
  ],
  tools: [{ name: 'weather', description: 'Of a city', input_schema: parameters }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  metadata: { user_id: 'ada' },
};

const response = {
  model: 'demo/extractive',
  instructions: 'Be brief.',
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: image, detail: 'low' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'patchbay1.e30',
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', name: 'weather', description: 'Of a city', parameters, strict: true }],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
  text: { format: { type: 'json_schema', name: 'place', schema: parameters } },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  max_output_tokens: 50,
  store: false,
  metadata: { a: 'b' },
};

const plainChat = { model: 'demo/extractive', messages: [{ role: 'user', content: 'Hi' }] };
const headers = { 'anthropic-version': '2023-06-01' };

/** One of each operation with the API of another vendor, on models that are there. */
export const compatibleRequests: readonly ValidRequest[] = [
  { method: 'POST', path: '/v1/chat/completions', body: chat },
  { method: 'POST', path: '/v1/chat/completions', body: plainChat },
  { method: 'POST', path: '/v1/chat/completions', body: { ...plainChat, model: 'fn/summarize' } },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...plainChat, stream: true, stream_options: { include_usage: true } },
  },
  { method: 'POST', path: '/v1/responses', body: response },
  { method: 'POST', path: '/v1/responses', body: { model: 'fn/summarize', input: 'Hi' } },
  { method: 'POST', path: '/v1/responses', body: { model: 'demo/extractive', input: 'Hi', stream: true } },
  { method: 'POST', path: '/v1/messages', headers, body: message },
  { method: 'POST', path: '/v1/messages', headers, body: { ...plainChat, max_tokens: 9, stream: true } },
  { method: 'POST', path: '/v1/messages/count_tokens', headers, body: message },
  {
    method: 'POST',
    path: '/v1/embeddings',
    body: { model: 'demo/hash-embed-512', input: ['Hi', 'Ho'], encoding_format: 'base64', dimensions: 512 },
  },
  { method: 'GET', path: '/v1/models', query: '?limit=5' },
  { method: 'GET', path: '/v1/models/demo/extractive', headers },
];
