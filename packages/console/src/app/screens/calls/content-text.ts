import type { CallContent } from '../../api/operations.generated.ts';

interface SpokenBlock {
  readonly label: string;
  readonly text: string;
}

/** The prompt of a request: its messages, each under its role, whatever its API. */
export function spokenBlocks(request: CallContent['request']): readonly SpokenBlock[] {
  if (request === null) return [];
  const { prompt, system, instructions, messages, input } = request;
  const texts = [
    { label: 'System', text: spoken(system ?? instructions) },
    { label: 'Prompt', text: spoken(prompt) },
    ...(typeof input === 'string' ? [{ label: 'Input', text: input }] : []),
  ];
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [];
  const said = turns.map((turn) => {
    const { role, content, ...more } = Object(turn) as Readonly<Record<string, unknown>>;
    const label = typeof role === 'string' ? role : 'Message';
    return { label, text: spoken(content) || JSON.stringify(more, undefined, 2) };
  });
  return [...texts, ...said].filter(({ text }) => text !== '');
}

/** The text of a model's response in a chat. Undefined for other responses, such as those that call tools. */
export function answerText(response: CallContent['response']): string | undefined {
  const { message } = Object(response) as {
    readonly message?: { readonly content?: unknown; readonly toolCalls?: unknown };
  };
  const isText = typeof message?.content === 'string' && message.content !== '' && message.toolCalls === undefined;
  return isText ? String(message.content) : undefined;
}

/** The text of a content: a text, or its parts. */
function spoken(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content, undefined, 2);
  return content
    .map((part) => {
      const { text } = Object(part) as { readonly text?: unknown };
      return typeof text === 'string' ? text : JSON.stringify(part, undefined, 2);
    })
    .join('\n');
}

/** The parts that a stored content lacks, a sentence for each. */
export function missingLines({ redacted, cut, omitted }: CallContent): readonly string[] {
  return [
    ...redacted.map((pointer) => `${pointer} was redacted.`),
    ...cut.map(({ pointer, bytes, items }) => {
      const size = bytes === undefined ? `${(items ?? 0).toLocaleString()} items` : `${bytes.toLocaleString()} bytes`;
      return pointer === ''
        ? `The ${size} of the content were too much to store.`
        : `${pointer} was cut: it had ${size}.`;
    }),
    ...omitted.map(({ pointer, bytes, mediaType }) => {
      const type = mediaType === undefined ? '' : ` of ${mediaType}`;
      return `${pointer} has a file${type}, which is not stored: ${bytes.toLocaleString()} bytes.`;
    }),
  ];
}
