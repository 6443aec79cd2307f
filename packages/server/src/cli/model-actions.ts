import { APIError, type ChatMessage, type Client, type Problem } from '@patchbay/client';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { prompted, readText } from './input.ts';
import { counted, table } from './output.ts';
import { clientOf, type RemoteOptions, streamEvents } from './remote.ts';

export const list: Action<RemoteOptions> = async (context, options) => {
  const { output, signal } = context;
  const { data } = await clientOf(options, context).models.list({ signal });
  if (options.json) for (const model of data) output.result(JSON.stringify(model));
  else for (const line of table(data.map(({ id, capabilities }) => [id, capabilities.join(' ')]))) output.result(line);
  output.note(counted(data.length, 'model'));
  return exitCodes.ok;
};

export const get: (id: string) => Action<RemoteOptions> = (id) => async (context, options) => {
  const model = await clientOf(options, context).models.get(id, { signal: context.signal });
  context.output.result(JSON.stringify(model, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
};

export interface ExplainOptions extends RemoteOptions {
  readonly model?: string;
  readonly optimize?: string;
  readonly capability?: readonly string[];
}

interface Explained {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A dry run of the router: every model with its place, or why it is out. */
export const explain: Action<ExplainOptions> = async (context, options) => {
  const { model, optimize, capability: capabilities } = options;
  const routing = { ...(optimize && { optimize }), ...(capabilities && { capabilities }) };
  const body = { ...(model && { model }), ...(Object.keys(routing).length > 0 && { routing }) };
  const { signal, output } = context;
  const reply = await clientOf(options, context).request({ method: 'POST', path: '/models/explain', body, signal });
  const { data } = reply.json as { readonly data: readonly Explained[] };
  if (options.json) for (const each of data) output.result(JSON.stringify(each));
  else {
    const rows = data.map(({ id, ...others }) => [
      id,
      ...Object.entries(others).map(
        ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
    ]);
    for (const line of table(rows)) output.result(line);
  }
  return exitCodes.ok;
};

/** The least that every chat model accepts and can answer. */
const question = { messages: [{ role: 'user', content: 'Answer with the one word: ok' }], maxTokens: 16 } as const;

export const test: (id: string) => Action<RemoteOptions> = (id) => async (context, options) => {
  const { output, signal } = context;
  const start = performance.now();
  const chat = await clientOf(options, context).chat({ model: id, ...question }, { signal });
  const durationMs = Math.round(performance.now() - start);
  const { model, promptTokens, completionTokens, message } = chat;
  const result = { model, durationMs, promptTokens, completionTokens, content: message.content };
  output.result(
    options.json
      ? JSON.stringify(result)
      : `${model} answered in ${durationMs} ms (${promptTokens} + ${completionTokens} tokens)`,
  );
  return exitCodes.ok;
};

export interface ChatOptions extends RemoteOptions {
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly stream: boolean;
}

interface Answer {
  readonly model: string;
  readonly message: { readonly role: 'assistant'; readonly content: string };
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** One question, or a conversation until the person ends it. */
export const chat: (given: string | undefined) => Action<ChatOptions> = (given) => async (context, options) => {
  const client = clientOf(options, context);
  const system = options.system === undefined ? [] : [await messageOf('system', options.system, context)];
  if (given !== undefined) {
    await ask(client, context, options, [...system, await messageOf('user', given, context)]);
    return exitCodes.ok;
  }
  if (!context.isInteractive) throw new UsageError('chat needs a message: a text, @file, or - for standard input');
  let messages: readonly ChatMessage[] = system;
  for (;;) {
    const content = await prompted(({ text }, place) =>
      text({ message: 'You', placeholder: 'empty to leave', ...place }),
    );
    if (!content?.trim()) return exitCodes.ok;
    messages = [...messages, { role: 'user', content }];
    messages = [...messages, (await ask(client, context, options, messages)).message];
  }
};

async function messageOf(role: 'system' | 'user', given: string, context: CliContext): Promise<ChatMessage> {
  return { role, content: await readText(given, context) };
}

async function ask(
  client: Client,
  { output, write, signal }: CliContext,
  { model, maxTokens, stream, json }: ChatOptions,
  messages: readonly ChatMessage[],
): Promise<Answer> {
  const body = { messages, ...(model && { model }), ...(maxTokens && { maxTokens }) };
  const answer = stream && !json ? await streamed() : ((await client.chat(body, { signal })) as Answer);
  if (json) output.result(JSON.stringify(answer));
  else if (!stream) output.result(answer.message.content);
  output.note(`${answer.model}: ${answer.promptTokens} + ${answer.completionTokens} tokens`);
  return answer;

  async function streamed(): Promise<Answer> {
    const reply = await client.request({ method: 'POST', path: '/chat', body: { ...body, stream: true }, signal });
    for await (const { event, data } of streamEvents(reply.stream)) {
      if (event === 'delta') write((data as { readonly text?: string }).text ?? '');
      if (event === 'error') throw new APIError(502, data as Problem);
      if (event !== 'done') continue;
      write('\n');
      return data as Answer;
    }
    throw new APIError(502, { code: 'provider_bad_response', detail: 'the stream broke off' });
  }
}

export const embed: (given: string) => Action<RemoteOptions & { readonly model?: string }> =
  (given) => async (context, options) => {
    const text = await readText(given, context);
    const body = { text, ...(options.model && { model: options.model }) };
    const answer = await clientOf(options, context).embeddings(body, { signal: context.signal });
    const { model, embedding, tokens } = answer;
    context.output.result(JSON.stringify(options.json ? answer : embedding));
    context.output.note(`${model}: ${counted(embedding.length, 'dimension')}, ${counted(tokens, 'token')}`);
    return exitCodes.ok;
  };
