import type { Action } from './cli-context.ts';
import { readText } from './input.ts';
import { counted, printDocument, printResult, printRows } from './output.ts';
import { ask, clientOf, type RemoteOptions } from './remote.ts';

// Commands that are one request each.

export const list: Action<RemoteOptions> = async (context, options) => {
  const { data } = await clientOf(options, context).models.list({ signal: context.signal });
  printRows(context.output, options, data, ({ id, capabilities }) => [id, capabilities.join(' ')]);
  context.output.note(counted(data.length, 'model'));
};

export const get: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  printDocument(context.output, options, await clientOf(options, context).models.get(id, { signal: context.signal }));
};

interface ExplainOptions extends RemoteOptions {
  readonly model?: string;
  readonly optimize?: string;
  readonly capability?: readonly string[];
}

interface Explained {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A dry run of the router: every model with its rank, or why it is excluded. */
export const explain: Action<ExplainOptions> = async (context, options) => {
  const { model, optimize, capability: capabilities } = options;
  const routing = { ...(optimize && { optimize }), ...(capabilities && { capabilities }) };
  const body = { ...(model && { model }), ...(Object.keys(routing).length > 0 && { routing }) };
  const request = { method: 'POST', path: '/models/explain', body } as const;
  const { data } = await ask<{ readonly data: readonly Explained[] }>(context, options, request);
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  printRows(context.output, options, data, ({ id, ...others }) => [
    id,
    ...Object.entries(others).map(([name, value]) => `${name}: ${textOf(value)}`),
  ]);
};

/** The smallest request that every chat model accepts and can answer. */
const question = { messages: [{ role: 'user', content: 'Answer with the one word: ok' }], maxTokens: 16 } as const;

export const test: Action<RemoteOptions, [id: string]> = async (context, options, id) => {
  const start = performance.now();
  const chat = await clientOf(options, context).chat({ model: id, ...question }, { signal: context.signal });
  const durationMs = Math.round(performance.now() - start);
  const { model, promptTokens, completionTokens, message } = chat;
  const result = { model, durationMs, promptTokens, completionTokens, content: message.content };
  const text = `${model} answered in ${durationMs} ms (${promptTokens} + ${completionTokens} tokens)`;
  printResult(context.output, options, result, text);
};

export const embed: Action<RemoteOptions & { readonly model?: string }, [text: string]> = async (
  context,
  options,
  given,
) => {
  const body = { text: await readText(given, context), ...(options.model && { model: options.model }) };
  const answer = await clientOf(options, context).embeddings(body, { signal: context.signal });
  const { model, embedding, tokens } = answer;
  printResult(context.output, options, answer, JSON.stringify(embedding));
  context.output.note(`${model}: ${counted(embedding.length, 'dimension')}, ${counted(tokens, 'token')}`);
};

interface UsageOptions extends RemoteOptions {
  readonly from?: string;
  readonly to?: string;
  readonly groupBy?: string;
}

interface Totals {
  readonly executions: number;
  readonly modelCalls: number;
  readonly feedback: number;
  readonly cost: { readonly amount: string } | null;
}

interface Usage {
  readonly data: readonly (Totals & { readonly group: string | null })[];
  readonly total: Totals;
}

export const usage: Action<UsageOptions> = async (context, options) => {
  const { from, to, groupBy, json } = options;
  const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }), ...(groupBy && { groupBy }) });
  const answer = await ask<Usage>(context, options, { method: 'GET', path: `/usage?${query.toString()}` });
  if (json) printDocument(context.output, options, answer);
  else {
    const rows = [...answer.data, { ...answer.total, group: 'total' }];
    printRows(context.output, options, rows, ({ group, executions, modelCalls, feedback, cost }) => [
      group ?? '-',
      counted(executions, 'execution'),
      counted(modelCalls, 'model call'),
      `${feedback} feedback`,
      cost === null ? 'cost unknown' : `${cost.amount} USD`,
    ]);
  }
};

export const openapi: Action<RemoteOptions> = async (context, options) => {
  printDocument(context.output, options, await ask(context, options, { method: 'GET', path: '/openapi.json' }));
};
