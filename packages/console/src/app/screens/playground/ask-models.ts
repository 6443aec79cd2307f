import type { ApiClient, RequestOf } from '../../api/api-client.ts';
import type { Call, Chat, Message } from '../../api/operations.generated.ts';
import { type Answer, recordOf, stopwatch, type ToolCall, waiting } from './answer.ts';

type ChatBody = NonNullable<RequestOf<'chat'>['body']>;

type ChatPiece = Partial<Chat> & { readonly text?: string; readonly toolCall?: ToolCall };

/** Ask one model in a conversation. */
export async function* askInChat(api: ApiClient, body: ChatBody, signal: AbortSignal): AsyncGenerator<Answer> {
  const timed = stopwatch();
  let answer: Answer = { ...waiting, askedCharacters: JSON.stringify(body, withoutData).length };
  for await (const { event, data } of api.events('chat', { body: { ...body, stream: true }, signal })) {
    const piece = data as ChatPiece;
    if (event === 'start') answer = { ...answer, model: piece.model ?? '' };
    if (event === 'restart') answer = { ...answer, text: '', calls: [] };
    if (event === 'delta') answer = grown(answer, piece);
    if (event === 'done') answer = ended(answer, piece);
    answer = timed(answer);
    yield answer;
    if (event === 'done') yield* withRecord(api, answer, piece.id, signal);
  }
}

/** The bytes of images and files are not text whose tokens could be estimated. */
function withoutData(name: string, value: unknown): unknown {
  return name === 'data' ? undefined : value;
}

function grown(answer: Answer, { text = '', toolCall }: ChatPiece): Answer {
  const { calls = [] } = answer;
  const written = { ...answer, status: 'writing', text: answer.text + text } as const;
  if (!toolCall) return written;
  const known = calls.find(({ id }) => id === toolCall.id);
  const call = known ? { ...known, arguments: known.arguments + toolCall.arguments } : toolCall;
  return { ...written, calls: [...calls.filter((each) => each !== known), call] };
}

function ended(answer: Answer, { message, messages, totalTokens = 0, model = '' }: ChatPiece): Answer {
  if (!message) return answer;
  const { role, content, parts } = message;
  const last: Message = parts ? { role, content, parts } : { role, content };
  const calls = (parts ?? [])
    .filter(({ type }) => type === 'tool-call')
    .map(({ id = '', name = '', arguments: given = {} }) => ({ id, name, arguments: JSON.stringify(given) }));
  return { ...answer, status: 'done', text: content, messages: messages ?? [last], calls, tokens: totalTokens, model };
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
  let answer: Answer = { ...waiting, askedCharacters: JSON.stringify(input).length };
  for await (const { event, data } of api.events('callFunctionByName', { path: { name }, body, signal })) {
    const { id, output, model: by, totalTokens: tokens } = data as Partial<Call>;
    if (output !== undefined) answer = { ...answer, status: 'writing', text: JSON.stringify(output, null, 2) };
    if (event === 'done')
      answer = { ...answer, status: 'done', isValidated: true, tokens: tokens ?? 0, model: by ?? 'code' };
    answer = timed(answer);
    yield answer;
    if (event === 'done') yield* withRecord(api, answer, id, signal);
  }
}

async function* withRecord(api: ApiClient, answer: Answer, id: string | undefined, signal: AbortSignal) {
  const record = id === undefined ? undefined : await recordOf(api, id, signal);
  if (record) yield { ...answer, record };
}
