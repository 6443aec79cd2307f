import type { ApiClient } from '../../api/api-client.ts';
import { ApiError } from '../../api/api-error.ts';
import type { CallRecord, Message } from '../../api/operations.generated.ts';

/** A tool call, as far as it has been written. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** The answer of one model so far. */
export interface Answer {
  readonly status: 'waiting' | 'writing' | 'done' | 'failed';
  readonly text: string;
  /** From the request to the first piece, and to the latest. */
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly tokens?: number;
  readonly model?: string;
  /** Characters of the question, including everything sent with it. */
  readonly askedCharacters: number;
  /** How it is sent back in the next turn. Absent: it has no answer. */
  readonly messages?: readonly Message[];
  /** Tools that the model wants to be called. Only the person can answer them. */
  readonly calls?: readonly ToolCall[];
  /** Whether the server has checked it against its schema. */
  readonly isValidated?: boolean;
  readonly error?: unknown;
  /** The record of the server: the cost, and whether an output had to be repaired. */
  readonly record?: CallRecord;
}

export const waiting: Answer = { status: 'waiting', text: '', askedCharacters: 0 };

/** For a turn that has nothing for a model to answer. */
export const notAsked: Answer = { ...waiting, status: 'done' };

/** A failure, in place of what is missing. What was written before stays. */
export function failedAnswer(answer: Answer, error: unknown): Answer {
  return { ...answer, status: 'failed', error };
}

/** Times an answer from now on: adds the times to each of its states. */
export function stopwatch(): (answer: Answer) => Answer {
  const start = performance.now();
  let firstMs: number | undefined;
  return (answer) => {
    const totalMs = performance.now() - start;
    if (answer.text !== '' || answer.calls) firstMs ??= totalMs;
    return { ...answer, totalMs, ...(firstMs !== undefined && { firstMs }) };
  };
}

const LOOKS = 5;
const LOOK_AGAIN_MS = 200;

/** The record of a call, which is written just after the answer has been sent. */
export async function recordOf(api: ApiClient, id: string, signal: AbortSignal): Promise<CallRecord | undefined> {
  if (!api.may('getCall')) return undefined;
  for (let look = 0; look < LOOKS; look += 1) {
    try {
      return await api.call('getCall', { path: { id }, signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
  return undefined;
}
