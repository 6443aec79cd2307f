import { APIError, type Problem } from '@patchbay/client';
import type { Action } from '../cli-context.ts';
import { exitCodes } from '../cli-failure.ts';
import { printResult } from '../output.ts';
import { ask, clientOf, type RemoteOptions, whileWaiting } from '../remote.ts';
import { findStored } from './stored-functions.ts';

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly time: string;
}

/** The logs of an execution, or of the last one of a function; followed until its end if it is still running. */
export const logs: Action<RemoteOptions, [given: string]> = async (context, options, given) => {
  const { output, signal } = context;
  const client = clientOf(options, context);
  const id = given.startsWith('execution_') ? given : await lastExecution(given);
  const path = `/executions/${encodeURIComponent(id)}/logs`;
  const { stream } = await client.request({ method: 'GET', path, signal, headers: { accept: 'text/event-stream' } });
  let status = 'unknown';
  const note = (waiting: string) => output.note(options.json ? JSON.stringify({ waiting }) : waiting);
  const events = sayingStream(`the logs of ${id}, which has not ended`, note, streamEvents(stream));
  for await (const { event, data } of events) {
    if (event === 'log') {
      const { time, level, message } = data as LogLine;
      printResult(output, options, data as LogLine, `${time} ${level} ${message}`);
    } else if (event === 'end') ({ status } = data as { status: string });
    else if (event === 'error') throw new APIError(500, data as Problem);
  }
  output.note(`${id}: ${status}`);
  return status === 'completed' ? exitCodes.ok : exitCodes.failure;

  async function lastExecution(name: string): Promise<string> {
    const functionId = await findStored(client, name, signal);
    const list = `/functions/${functionId}/executions?limit=1`;
    const { data } = await ask<{ data: { id: string }[] }>(context, options, { method: 'GET', path: list });
    if (data[0]) return data[0].id;
    throw new APIError(404, { code: 'execution_not_found', detail: `${name} has not been executed yet` });
  }
};

/** Report what is awaited if an element of a stream takes long. */
async function* sayingStream<T>(
  what: string,
  note: (text: string) => void,
  stream: AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const elements = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await whileWaiting(what, note, () => elements.next());
      if (done) return;
      yield value;
    }
  } finally {
    await elements.return?.();
  }
}

/** Server-sent events with JSON in them, as they arrive. A response that is not a stream has none. */
async function* streamEvents(
  stream: AsyncIterable<string> | undefined,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  let rest = '';
  for await (const piece of stream ?? []) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
