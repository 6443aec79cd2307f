import type { ApiClient, RequestOf } from '../../api/api-client.ts';
import type { Call, Chat } from '../../api/operations.generated.ts';
import { type Answer, recordOf, stopwatch, waiting } from './answer.ts';

type ChatBody = NonNullable<RequestOf<'chat'>['body']>;

/** Ask one model in a conversation. */
export async function* askInChat(api: ApiClient, body: ChatBody, signal: AbortSignal): AsyncGenerator<Answer> {
  const timed = stopwatch();
  let answer = waiting;
  for await (const { event, data } of api.events('chat', { body: { ...body, stream: true }, signal })) {
    const { id, model, message, totalTokens: tokens, text } = data as Partial<Chat> & { readonly text?: string };
    if (event === 'start') answer = { ...answer, model: model ?? '' };
    if (event === 'restart') answer = { ...answer, text: '' };
    if (event === 'delta' && text !== undefined) answer = { ...answer, status: 'writing', text: answer.text + text };
    if (event === 'done' && message) {
      const calls = (message.parts ?? []).filter(({ type }) => type === 'tool-call');
      const called = calls.map(({ name, arguments: given }) => `${name}(${JSON.stringify(given)})`);
      const all = [message.content, ...called].filter(Boolean).join('\n');
      answer = { ...answer, status: 'done', text: all, message, tokens: tokens ?? 0, model: model ?? '' };
    }
    answer = timed(answer);
    yield answer;
    if (event === 'done') yield* withRecord(api, answer, id, signal);
  }
}

interface NamedCall {
  readonly name: string;
  readonly model: string;
  readonly input: Record<string, unknown>;
}

/** Have one model answer a function. */
export async function* askForFunction(api: ApiClient, call: NamedCall, signal: AbortSignal): AsyncGenerator<Answer> {
  const { name, model, input } = call;
  const timed = stopwatch();
  const body = { input, stream: true, cache: 'no-store', ...(model !== '' && { model }) } as const;
  let answer = waiting;
  for await (const { event, data } of api.events('callFunctionByName', { path: { name }, body, signal })) {
    const { id, output, model: by, totalTokens: tokens } = data as Partial<Call>;
    if (output !== undefined) answer = { ...answer, status: 'writing', text: JSON.stringify(output, null, 2) };
    if (event === 'done') answer = { ...answer, status: 'done', tokens: tokens ?? 0, model: by ?? 'code' };
    answer = timed(answer);
    yield answer;
    if (event === 'done') yield* withRecord(api, answer, id, signal);
  }
}

async function* withRecord(api: ApiClient, answer: Answer, id: string | undefined, signal: AbortSignal) {
  const record = id === undefined ? undefined : await recordOf(api, id, signal);
  if (record) yield { ...answer, record };
}
