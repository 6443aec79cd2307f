import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { APIError, type Client } from '@patchbay/client';
import type { Example, ExampleSource } from '@patchbay/eval';
import type { Action, CliContext } from '../cli-context.ts';
import { UsageError } from '../cli-failure.ts';
import { counted, printDocument, printResult, printRows } from '../output.ts';
import { clientOf, deleteConfirmed, type RemoteOptions } from '../remote.ts';
import { findStored } from './stored-functions.ts';

interface SourceOptions extends RemoteOptions {
  readonly source: ExampleSource;
}

/** The path of the dataset of a function that is named by its name, key or id. */
async function datasetOf(client: Client, given: string, signal: AbortSignal): Promise<string> {
  return `/functions/${encodeURIComponent(await findStored(client, given, signal))}/dataset`;
}

/** The examples that the options name. */
async function* examplesOf(context: CliContext, options: SourceOptions, given: string): AsyncGenerator<Example> {
  const { signal } = context;
  const client = clientOf(options, context);
  const id = await findStored(client, given, signal);
  const { readExamples } = await import('@patchbay/eval');
  yield* readExamples(client, id, options.source, signal);
}

export const list: Action<SourceOptions, [given: string]> = async (context, options, given) => {
  const { output } = context;
  const shown: (readonly string[])[] = [];
  let count = 0;
  for await (const example of examplesOf(context, options, given)) {
    count += 1;
    if (options.json) printDocument(output, options, example);
    else shown.push(cellsOf(example));
  }
  printRows(output, options, shown, (cells) => cells);
  output.note(counted(count, 'example'));
};

function cellsOf({ id, expected, output, scores }: Example): readonly string[] {
  const values = Object.entries(scores).map(([metric, value]) => `${metric}=${String(value)}`);
  return [id, expected === null ? '-' : 'expected', output === null ? '-' : 'output', values.join(' ')];
}

/** Print all examples as JSON Lines, as `import` takes them. */
export const exportExamples: Action<SourceOptions, [given: string]> = async (context, options, given) => {
  let count = 0;
  for await (const example of examplesOf(context, options, given)) {
    count += 1;
    printDocument(context.output, { json: true }, example);
  }
  context.output.note(counted(count, 'example'));
};

/** The limits of one request, which is all or nothing. */
const PART = { lines: 500, characters: 1_000_000 } as const;

interface Line {
  readonly number: number;
  readonly example: unknown;
}

interface ImportReport {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** Send the lines of a file, or of standard input, in parts. Sending them again changes nothing. */
export const importExamples: Action<RemoteOptions, [given: string, file: string]> = async (
  context,
  options,
  given,
  file,
) => {
  const { signal, output } = context;
  const client = clientOf(options, context);
  const path = await datasetOf(client, given, signal);
  const total = { added: 0, changed: 0, unchanged: 0 };
  for await (const part of partsOf(linesOf(file, context), file)) {
    const report = await send(client, { path, part, file, signal, sent: total });
    total.added += report.added;
    total.changed += report.changed;
    total.unchanged += report.unchanged;
  }
  const text = `${total.added} added, ${total.changed} changed, ${total.unchanged} unchanged`;
  printResult(output, options, total, text);
};

interface Sending {
  readonly path: string;
  readonly part: readonly Line[];
  readonly file: string;
  readonly signal: AbortSignal;
  /** The report of the previous parts. */
  readonly sent: ImportReport;
}

/** @throws UsageError with the line of each example that the server refuses. */
async function send(client: Client, { path, part, file, signal, sent }: Sending): Promise<ImportReport> {
  try {
    const body = { examples: part.map(({ example }) => example) };
    return (await client.request({ method: 'POST', path, body, signal })).json as ImportReport;
  } catch (error) {
    if (!(error instanceof APIError) || error.status !== 400) throw error;
    const lines = error.errors.map(({ pointer, detail }) => {
      const [, , index = '', ...rest] = pointer.split('/');
      const line = part[Number(index)]?.number ?? part[0]?.number;
      return `${file}:${line} ${rest.length > 0 ? `/${rest.join('/')} ` : ''}${detail}`;
    });
    const kept = sent.added + sent.changed;
    const before = kept === 0 ? 'nothing was stored' : `${counted(kept, 'example')} of the lines before are stored`;
    throw new UsageError([...(lines.length > 0 ? lines : [error.message]), before].join('\n'));
  }
}

async function* partsOf(lines: AsyncIterable<string>, file: string): AsyncGenerator<readonly Line[]> {
  let part: Line[] = [];
  let characters = 0;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    if (part.length === PART.lines || (part.length > 0 && characters + line.length > PART.characters)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push({ number, example: parsed(line, `${file}:${number}`) });
    characters += line.length;
  }
  if (part.length > 0) yield part;
}

function parsed(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(`${place} is not JSON: each line must have one example`);
  }
}

function linesOf(file: string, { cwd, readLines }: CliContext): AsyncIterable<string> {
  if (file === '-') return readLines();
  const input = createReadStream(resolve(cwd, file));
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

export const remove: Action<
  RemoteOptions & { readonly yes?: boolean },
  [given: string, id: string | undefined]
> = async (context, options, given, id) => {
  const { signal } = context;
  const client = clientOf(options, context);
  const path = await datasetOf(client, given, signal);
  if (id !== undefined) {
    const question = `Delete the example ${id}?`;
    return await deleteConfirmed(context, options, {
      path: `${path}/${encodeURIComponent(id)}`,
      question,
      deleted: { id },
    });
  }
  const { json } = await client.request({ method: 'GET', path: `${path}?limit=1`, signal });
  const { total } = (json as { readonly meta: { readonly total: number } }).meta;
  const question = `Delete all ${total} examples of ${given}?`;
  return await deleteConfirmed(context, options, { path, question, deleted: { id: `${total} examples` } });
};
