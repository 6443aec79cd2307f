import type { Action } from '../cli-context.ts';
import { counted } from '../counted.ts';
import { exitCodes } from '../exit-codes.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';
import { table } from '../table.ts';

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
