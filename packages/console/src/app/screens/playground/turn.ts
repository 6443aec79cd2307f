import type { ContentPart, Message } from '../../api/operations.generated.ts';
import type { Answer, ToolCall } from './answer.ts';

/** A message to all models, and what each of them has answered. */
export interface Turn {
  /** Absent if only tool results were sent. */
  readonly content?: string | ContentPart[];
  /** One per model. */
  readonly answers: readonly Answer[];
  /** Results of the called tools, as the person wrote them: see `resultKey`. */
  readonly results: Readonly<Record<string, string>>;
}

/** Models may use the same id. */
export const resultKey = (column: number, { id }: ToolCall): string => `${column}/${id}`;

/** Whether a model waits for the results of tools. */
export function isCalling({ calls = [], messages }: Answer): boolean {
  return messages !== undefined && calls.length > 0;
}

/** A turn as the model of a column gets it. Unanswered turns are left out, as no vendor accepts two questions in a row. */
export function messagesOf({ content, answers, results }: Turn, column: number): readonly Message[] {
  const { messages, calls = [] } = answers[column] ?? {};
  if (!messages) return [];
  const asked: readonly Message[] = content === undefined ? [] : [{ role: 'user', content }];
  const returned = calls.map(
    (call): Message => ({ role: 'tool', toolCallId: call.id, content: results[resultKey(column, call)] ?? '' }),
  );
  return [...asked, ...messages, ...returned];
}

/** The message as it is shown. */
export function shownText(content: NonNullable<Turn['content']>): string {
  if (typeof content === 'string') return content;
  return content.map(({ text, name, type }) => text ?? `[${name ?? type}]`).join('\n');
}
