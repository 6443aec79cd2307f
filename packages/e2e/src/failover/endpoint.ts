import { sixtyWords } from './sixty-words.ts';

/** A response, as a client of the endpoint reads it. */
export interface Reading {
  readonly text: string;
  /** The response says that it is complete. */
  readonly saysComplete: boolean;
  /** The error that the response reports, in a document or an event. */
  readonly error: string | undefined;
  readonly model: string | undefined;
  /** Output tokens. */
  readonly tokens: number | undefined;
}

/** An endpoint that streams chats, and the API of the vendor that it has in common with the primary. */
export interface Endpoint {
  readonly path: string;
  readonly dialect: 'openai' | 'anthropic' | 'openai-responses';
  readonly body: object;
  read(events: readonly SentEvent[]): Reading;
}

export interface SentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** The fields of any event of any endpoint that are read here. */
interface Document {
  readonly type?: string;
  readonly model?: string;
  readonly text?: string;
  readonly code?: string;
  readonly error?: { readonly code?: string | null; readonly type?: string; readonly message?: string } | null;
  readonly delta?: string | { readonly text?: string; readonly stop_reason?: string };
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly completion_tokens?: number; readonly output_tokens?: number } | null;
  readonly message?: { readonly model?: string; readonly content?: string };
  readonly response?: Document & { readonly output?: readonly { readonly content?: readonly { text?: string }[] }[] };
  readonly completionTokens?: number;
}

const question = [{ role: 'user', content: 'When does a gateway earn trust, in sixty words?' }];

/** The data of all events that have some; `[DONE]` is none. */
const documentsOf = (events: readonly SentEvent[]): readonly Document[] =>
  events.filter(({ data }) => data !== '' && data !== '[DONE]').map(({ data }) => JSON.parse(data) as Document);

const last = <T>(values: readonly (T | undefined | null)[]): T | undefined =>
  values.findLast((value) => value !== undefined && value !== null) ?? undefined;

const errorIn = (documents: readonly Document[]): string | undefined =>
  last(documents.map(({ error }) => error && (error.code ?? error.type ?? error.message)));

export const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/chat/completions',
    dialect: 'openai',
    body: { messages: question, stream_options: { include_usage: true } },
    read(events) {
      const documents = documentsOf(events);
      const choices = documents.flatMap((document) => document.choices ?? []);
      return {
        text: choices.map(({ delta }) => delta.content ?? '').join(''),
        saysComplete: choices.some(({ finish_reason: reason }) => reason === 'stop'),
        error: errorIn(documents),
        model: last(documents.map(({ model }) => model)),
        tokens: last(documents.map(({ usage }) => usage?.completion_tokens)),
      };
    },
  },
  {
    path: '/v1/messages',
    dialect: 'anthropic',
    body: { messages: question, max_tokens: 200 },
    read(events) {
      const documents = documentsOf(events);
      const deltas = documents.map(({ delta }) => (typeof delta === 'object' ? delta : {}));
      return {
        text: deltas.map(({ text = '' }) => text).join(''),
        saysComplete: documents.some(({ type }) => type === 'message_stop'),
        error: errorIn(documents),
        model: last(documents.map(({ message }) => message?.model)),
        tokens: last(documents.map(({ usage }) => usage?.output_tokens)),
      };
    },
  },
  {
    path: '/v1/responses',
    dialect: 'openai-responses',
    body: { input: question },
    read(events) {
      const documents = documentsOf(events);
      const responses = documents.flatMap(({ response }) => response ?? []);
      const completed = documents.find(({ type }) => type === 'response.completed')?.response;
      const repeated = completed?.output?.flatMap(({ content }) => content ?? []).map(({ text }) => text ?? '');
      const deltas = documents.filter(({ type }) => type === 'response.output_text.delta');
      const text = deltas.map(({ delta }) => (typeof delta === 'string' ? delta : '')).join('');
      return {
        // The last event repeats the text.
        text: repeated === undefined || repeated.join('') === text ? text : `${text} ≠ ${repeated.join('')}`,
        saysComplete: completed !== undefined,
        error: errorIn([...documents, ...responses]),
        model: last(responses.map(({ model }) => model)),
        tokens: completed?.usage?.output_tokens,
      };
    },
  },
  {
    path: '/chat',
    dialect: 'openai',
    body: { messages: question },
    read(events) {
      const named = (name: string) => documentsOf(events.filter(({ event }) => event === name));
      const [done] = named('done');
      const text = named('delta')
        .map((delta) => delta.text ?? '')
        .join('');
      return {
        text: done === undefined || done.message?.content === text ? text : `${text} ≠ ${done.message?.content}`,
        saysComplete: done !== undefined,
        error: last(named('error').map(({ code }) => code)),
        model: done?.model,
        tokens: done?.completionTokens,
      };
    },
  },
];

/** Reads a response to its end, whatever it is. */
export function readResponse(endpoint: Endpoint, status: number, text: string): Reading {
  if (status === 200) return endpoint.read(sentEvents(text));
  const { code, error } = JSON.parse(text) as Document;
  const reported = code ?? error?.code ?? error?.type ?? `${status}`;
  return { text: '', saysComplete: false, error: reported, model: undefined, tokens: undefined };
}

function sentEvents(text: string): readonly SentEvent[] {
  return text.split(/\r?\n\r?\n/).map((block) => {
    const lines = block.split(/\r?\n/);
    const fieldsNamed = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
    return { event: fieldsNamed('event')[0], data: fieldsNamed('data').join('\n') };
  });
}

export const isWhole = ({ text }: Reading): boolean => text === sixtyWords;
