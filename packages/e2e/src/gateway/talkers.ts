import type { JsonObject } from '@patchbay/core/plugin';

interface Said {
  readonly text: string;
  readonly warnings: string;
}

/** Says something in one conversation, and returns the answer. */
type Talk = (text: string) => Promise<Said>;

export type Talker = (url: string, key: string, topic: string) => Talk;

interface Answer {
  /** As they are sent back. */
  readonly messages: readonly object[];
  readonly text: string;
  /** Those in its body. Default: those in the header. */
  readonly warnings?: string;
}

interface Endpoint {
  readonly path: string;
  /** The member with the conversation. Default: `messages`. */
  readonly conversation?: string;
  /** Messages before the conversation. Default: none. */
  readonly opening?: (turn: number) => readonly object[];
  readonly body: (topic: string, turn: number) => JsonObject;
  readonly headers?: (topic: string) => Readonly<Record<string, string>>;
  readonly read: (answer: string) => Answer;
}

const model = 'auto';

/** Clients of every endpoint, which send the whole conversation with each turn. */
export const talkers: readonly Talker[] = (
  [
    {
      path: '/v1/messages',
      body: (topic) => ({ model, max_tokens: 100, system: topic }),
      read: readMessage,
    },
    {
      // Names its session, and changes the beginning of the prompt in each turn.
      path: '/v1/messages',
      body: (topic, turn) => ({ model, max_tokens: 100, system: `${topic} at ${turn}` }),
      headers: (topic) => ({ 'x-claude-code-session-id': topic }),
      read: readMessage,
    },
    { path: '/v1/chat/completions', body: (topic) => ({ model, user: topic }), read: readCompletion },
    {
      // The same by its key.
      path: '/v1/chat/completions',
      opening: (turn) => [{ role: 'system', content: `It is turn ${turn}.` }],
      body: (topic) => ({ model, prompt_cache_key: topic }),
      read: readCompletion,
    },
    {
      path: '/v1/responses',
      conversation: 'input',
      body: (topic) => ({ model, instructions: topic, include: ['reasoning.encrypted_content'] }),
      read: readResponse,
    },
    { path: '/chat', body: () => ({ model, stream: true }), read: readChatStream },
  ] satisfies readonly Endpoint[]
).map(talkerOf);

function talkerOf({ path, conversation = 'messages', opening = () => [], body, headers, read }: Endpoint): Talker {
  return (url, key, topic) => {
    const messages: object[] = [];
    let turn = 0;
    return async (text) => {
      turn += 1;
      messages.push({ role: 'user', content: turn === 1 ? `${topic}. ${text}` : text });
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers?.(topic) },
        body: JSON.stringify({ ...body(topic, turn), [conversation]: [...opening(turn), ...messages] }),
      });
      const answer = await response.text();
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${answer}`);
      const said = read(answer);
      messages.push(...said.messages);
      return { text: said.text, warnings: said.warnings ?? response.headers.get('patchbay-warning') ?? '' };
    };
  };
}

function readMessage(answer: string): Answer {
  const { content } = JSON.parse(answer) as { content: { type: string; text?: string }[] };
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  return { messages: [{ role: 'assistant', content }], text };
}

function readCompletion(answer: string): Answer {
  const { choices } = JSON.parse(answer) as { choices: { message: { content: string } }[] };
  const message = choices[0]?.message ?? { content: '' };
  return { messages: [message], text: message.content };
}

function readResponse(answer: string): Answer {
  const { output } = JSON.parse(answer) as { output: { content?: { text: string }[] }[] };
  return { messages: output, text: output.at(-1)?.content?.[0]?.text ?? '' };
}

function readChatStream(answer: string): Answer {
  const [, data = '{}'] = /event: done\ndata: (.*)\n/.exec(answer) ?? [];
  const { message, warnings } = JSON.parse(data) as { message: { content: string }; warnings?: string[] };
  return { messages: [message], text: message.content, warnings: (warnings ?? []).join(', ') };
}
