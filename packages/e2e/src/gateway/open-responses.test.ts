import { upstreamReplies } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { eventSchema, type OpenEvent, type OpenResponse, responseSchema } from './open-responses-schemas.ts';
import { useVendors } from './use-vendors.ts';

// The cases of the public suite of Open Responses for requests over HTTP, on models of every vendor. Those of OpenAI receive
// the requests as they were sent, and their responses come back the same way.

const vendors = await useVendors();
const models = [
  { vendor: 'openai', model: 'openai/gpt-4.1' },
  { vendor: 'anthropic', model: 'anthropic/claude-opus-4-6' },
  { vendor: 'google', model: 'google/gemini-3.1-flash-lite' },
] as const;

const says = (role: string, content: unknown, more: object = {}) => ({ type: 'message', role, content, ...more });
const weather = {
  type: 'function',
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const png = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0=';

const post = (body: object): Promise<Response> =>
  fetch(`${vendors.server.running.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
    body: JSON.stringify(body),
  });

async function respond(body: object): Promise<OpenResponse> {
  const answer = await post(body);
  expect(answer.status).toBe(200);
  return responseSchema.parse(await answer.json());
}

const isForwarded = (model: string) => model.startsWith('openai/');

/** Each with the name of its type and the number after that of the one before; `[DONE]` ends a complete stream only. */
async function streamed(body: {
  readonly model: string;
  readonly [name: string]: unknown;
}): Promise<readonly OpenEvent[]> {
  const answer = await post({ ...body, stream: true });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const blocks = (await answer.text()).split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  const isComplete = blocks.at(-1) === 'data: [DONE]';
  const events = blocks.slice(0, isComplete ? -1 : undefined).map((block) => {
    const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
    const event = eventSchema.parse(JSON.parse(data));
    expect(name).toBe(event.type);
    return event;
  });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(isComplete).toBe(events.at(-1)?.type === 'response.completed');
  return events;
}

const typesOf = (events: readonly OpenEvent[]) => [
  ...new Set(events.map(({ type }) => type.replace(/^response\./, ''))),
];

describe.each(models)('Open Responses by $model', ({ vendor, model }) => {
  const upstream = vendors[vendor];
  const hello = [{ type: 'output_text', text: 'Hello from the upstream.', annotations: [] }];

  it.each([
    ['a message of a user', [says('user', 'Say hello.')]],
    ['a system message', [says('system', 'You are a pirate.'), says('user', 'Say hello.')]],
    ['earlier turns', [says('user', 'I am Ada.'), says('assistant', 'Hello, Ada.'), says('user', 'What is my name?')]],
    [
      'phases of earlier turns',
      [
        says('assistant', 'I use the saved number.', { phase: 'commentary' }),
        says('assistant', 'It is four.', { phase: 'final_answer' }),
        says('user', 'Repeat the number.'),
      ],
    ],
    [
      'an image',
      [
        says('user', [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: png },
        ]),
      ],
    ],
    [
      'a file',
      [
        says('user', [
          { type: 'input_text', text: 'Which title?' },
          { type: 'input_file', filename: 'a.pdf', file_data: pdf },
        ]),
      ],
    ],
  ])('%s is answered by a message', async (_, input) => {
    const { status, output, error } = await respond({ model, input });
    expect({ status, output, error }).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', status: 'completed', content: hello }],
      error: null,
    });
  });

  it('a tool is called, and its result is answered', async () => {
    const input: object[] = [says('user', 'What is the weather in Bern?')];
    const tool_choice = { type: 'function', name: 'weather' };
    const { output, tools } = await respond({ model, input, tools: [weather], tool_choice });
    expect(output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"Bern"}' }]);
    expect(tools).toMatchObject([weather]);
    const [call] = output;
    const result = { type: 'function_call_output', call_id: call?.type === 'function_call' && call.call_id };
    upstream.script(upstreamReplies.healthy());
    const told = await respond({
      model,
      input: [...input, call, { ...result, output: '21 degrees' }],
      tools: [weather],
    });
    expect(told.output).toMatchObject([{ type: 'message', content: hello }]);
    expect(upstream.requests.at(-1)?.body).toContain('21 degrees');
  });

  it('a stream has the events of a message in their order', async () => {
    const events = await streamed({ model, input: 'Count from 1 to 5.' });
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    const last = events.at(-1);
    expect(last).toMatchObject({ response: { status: 'completed', output: [{ content: hello }] } });
  });

  it('a stream has the events of a call in their order', async () => {
    const events = await streamed({ model, input: 'What is the weather in Bern?', tools: [weather] });
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.at(-1)).toMatchObject({ response: { output: [{ type: 'function_call' }] } });
  });

  it('a stream that is cut fails, with every member and without a mark of success', async () => {
    upstream.script(upstreamReplies.closeMidStream());
    const [failed, error] = (await streamed({ model, input: 'Say hello.' })).slice(-2);
    const last = isForwarded(model)
      ? { type: 'response.output_text.delta' }
      : { type: 'response.failed', response: { status: 'failed', completed_at: null } };
    expect(failed).toMatchObject(last);
    expect(error).toMatchObject({ type: 'error', error: { type: 'model_error' } });
  });

  type Refused = [name: string, status: number, type: string, members: object];
  const previous = { previous_response_id: 'resp_of_another_time' };
  const refused: Refused[] = isForwarded(model)
    ? [['a response of another time', 404, 'not_found', previous]]
    : [
        ['a response of another time', 400, 'invalid_request', previous],
        ['too few tokens', 400, 'invalid_request', { max_output_tokens: 15 }],
      ];

  it.each<Refused>([
    ...refused,
    ['work in the background', 400, 'invalid_request', { background: true }],
    ['an unknown model', 404, 'not_found', { model: 'openai/gpt-0' }],
  ])('%s is refused with its place', async (_, status, type, members) => {
    const answer = await post({ model, input: 'Hi', ...members });
    const [param] = Object.keys(members);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({
      error: { type, param, code: expect.any(String), message: expect.any(String) },
    });
  });
});
