import { APIError, type ChatMessage, type Client, type Problem } from '@patchbay/client';
import type { Action, CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { readText } from '../input.ts';
import { prompted } from '../prompt.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { streamEvents } from '../stream-events.ts';
import { UsageError } from '../usage-error.ts';

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
