import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// The model provider of the gateway benches. It sends the same response immediately. Streams have 21 words, or as many as
// the request allows tokens, in pieces of ten.

const envelope = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'm', system_fingerprint: null };
const message = { role: 'assistant', content: 'Hello! How can I help you today?', refusal: null, annotations: [] };
const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
const whole = JSON.stringify({
  ...envelope,
  object: 'chat.completion',
  choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
  usage,
});

const event = (data: object): string => `data: ${JSON.stringify({ ...envelope, ...data })}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], usage: null });
const first = chunk({ role: 'assistant', content: '' }) + chunk({ content: 'Hello' });
const tenWords = Array.from({ length: 10 }, (_, index) => chunk({ content: ` word${index}` })).join('');
const words = Array.from({ length: 20 }, (_, index) => chunk({ content: ` word${index}` })).join('');
const last = `${chunk({}, 'stop')}${event({ object: 'chat.completion.chunk', choices: [], usage })}data: [DONE]\n\n`;

const gemini = (parts: object[], more: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
});
const geminiEvent = (text: string, more?: object): string =>
  `data: ${JSON.stringify(gemini([{ text }], more))}\r\n\r\n`;
const geminiWords = Array.from({ length: 20 }, (_, index) => geminiEvent(` word${index}`)).join('');

const claude = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const claudeEvent = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const claudeText = (text: string): string =>
  claudeEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
const claudeUsage = { input_tokens: 9, output_tokens: 9 };
const embedding = Array.from({ length: 1_536 }, (_, index) => (index % 9) / 8 - 0.5);

interface Answers {
  readonly whole: string;
  readonly first: string;
  readonly rest: string;
}
const ofOpenAi: Answers = { whole, first, rest: words + last };
const ofGoogle: Answers = {
  whole: JSON.stringify(gemini([{ text: message.content }], { finishReason: 'STOP' })),
  first: geminiEvent('Hello'),
  rest: geminiWords + geminiEvent('', { finishReason: 'STOP' }),
};

const ofAnthropic: Answers = {
  whole: JSON.stringify({
    ...claude,
    content: [{ type: 'text', text: message.content }],
    stop_reason: 'end_turn',
    usage: claudeUsage,
  }),
  first:
    claudeEvent('message_start', { message: { ...claude, content: [], stop_reason: null, usage: claudeUsage } }) +
    claudeEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    claudeText('Hello'),
  rest:
    Array.from({ length: 20 }, (_, index) => claudeText(` word${index}`)).join('') +
    claudeEvent('content_block_stop', { index: 0 }) +
    claudeEvent('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: claudeUsage }) +
    claudeEvent('message_stop', {}),
};
const ofEmbeddings: Answers = {
  whole: JSON.stringify({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model: 'm',
    usage: { prompt_tokens: 9, total_tokens: 9 },
  }),
  first: '',
  rest: '',
};

/** Answers by a part of the path. */
const answersAt: readonly (readonly [string, Answers])[] = [
  ['enerateContent', ofGoogle],
  ['/messages', ofAnthropic],
  ['/embeddings', ofEmbeddings],
];

function writeWords(response: ServerResponse, left: number): void {
  if (left <= 0) {
    response.end(last);
    return;
  }
  const next = (): void => void setImmediate(writeWords, response, left - 10);
  if (response.write(tenWords)) next();
  else response.once('drain', next);
}

const server = createServer((request, response) => {
  const { url = '' } = request;
  const [, answers] = answersAt.find(([part]) => url.includes(part)) ?? ['', ofOpenAi];
  let body = '';
  request.on('data', (piece: Buffer) => {
    body += piece.toString('latin1');
  });
  request.on('end', () => {
    if (body.includes('"stream":true') || url.includes('alt=sse')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(answers.first);
      const [, tokens] = /"max(?:_completion)?_tokens":(\d+)/.exec(body) ?? [];
      // Words by the number of tokens are those of OpenAI.
      if (tokens === undefined || answers !== ofOpenAi) setImmediate(() => response.end(answers.rest));
      else setImmediate(writeWords, response, Number(tokens) - 1);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answers.whole.length });
    response.end(answers.whole);
  });
});
// Targets that wait for their turn keep their connections.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`upstream listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
