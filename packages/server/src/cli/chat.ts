import type { Chat, ChatMessage, Client } from '@patchbay/client';
import type { Action, CliContext } from './cli-context.ts';
import { exitCodes, UsageError } from './cli-failure.ts';
import { prompted, readText } from './input.ts';
import { clientOf, type RemoteOptions } from './remote.ts';

interface ChatOptions extends RemoteOptions {
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly stream: boolean;
}

/** One question, or a conversation until the person ends it. */
export const chat: Action<ChatOptions, [message: string | undefined]> = async (context, options, given) => {
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
): Promise<Chat> {
  const body = { messages, ...(model && { model }), ...(maxTokens && { maxTokens }) };
  const answer = stream && !json ? await streamed() : await client.chat(body, { signal });
  if (json) output.result(JSON.stringify(answer));
  else if (!stream) output.result(answer.message.content);
  output.note(`${answer.model}: ${answer.promptTokens} + ${answer.completionTokens} tokens`);
  return answer;

  async function streamed(): Promise<Chat> {
    const answering = client.chat({ ...body, stream: true }, { signal });
    for await (const piece of answering) write(piece);
    write('\n');
    return await answering.final();
  }
}
