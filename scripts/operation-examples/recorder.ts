import { setTimeout as delay } from 'node:timers/promises';
import { steady } from '../error-pages/example.ts';
import type { ExampleServer } from '../error-pages/example-server.ts';

/** What a running server was asked, and how it responded. */
export interface OperationExample {
  /** The JSON body of the request. */
  readonly request?: object;
  readonly response: unknown;
  /** The text of the response to a request for server-sent events. */
  readonly stream?: string;
  /** Fields that the example leaves out. */
  readonly note?: string;
}

export type OperationExamples = Readonly<Record<string, OperationExample>>;

type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly shorten?: (response: Json) => Json;
  readonly note?: string;
}

/** Asks a server and keeps what it was asked and how it responded. Failures throw. */
export interface Recorder {
  readonly ask: (operation: string, method: string, path: string, asked?: Asked) => Promise<Json>;
  readonly stream: (operation: string, method: string, path: string, body?: object) => Promise<void>;
  readonly text: (operation: string, path: string, shorten: (text: string) => string, note: string) => Promise<void>;
  /** Without recording it. */
  readonly done: (
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Json>;
  readonly until: (reached: () => Promise<boolean>) => Promise<void>;
  /** All of them, with what differs in each run made the same. */
  readonly examples: () => OperationExamples;
}

/** @param receiver Origin of the receiver of webhooks. Examples show https://acme.example in its place. */
export function startRecorder({ send }: Pick<ExampleServer, 'send'>, receiver: string): Recorder {
  const recorded: Record<string, OperationExample> = {};
  const textOf = async (...given: Parameters<ExampleServer['send']>): Promise<string> => {
    const response = await send(...given);
    const text = await response.text();
    if (!response.ok) throw new Error(`${given[0]} ${given[1]}: ${response.status} ${text}`);
    return text;
  };
  const done: Recorder['done'] = async (method, path, body, headers) =>
    JSON.parse(await textOf(method, path, { body, ...(headers && { headers }) })) as Json;
  return {
    done,
    async ask(operation, method, path, { body, headers, shorten = (all: Json) => all, note } = {}) {
      const response = await done(method, path, body, headers);
      recorded[operation] = { ...(body && { request: body }), response: shorten(response), ...(note && { note }) };
      return response;
    },
    async stream(operation, method, path, body) {
      const stream = await textOf(method, path, { body });
      recorded[operation] = { ...(recorded[operation] as OperationExample), stream };
    },
    async text(operation, path, shorten, note) {
      recorded[operation] = { response: shorten(await textOf('GET', path)), note };
    },
    async until(reached) {
      const signal = AbortSignal.timeout(20_000);
      while (!(await reached())) await delay(20, undefined, { signal });
    },
    examples: () => JSON.parse(comparable(JSON.stringify(recorded), receiver)) as OperationExamples,
  };
}

/** The text with secrets, hashes and durations replaced, and what `steady` replaces. */
function comparable(text: string, receiver: string): string {
  return steady(text.replaceAll(receiver, 'https://acme.example'))
    .replaceAll(/\b(function_call|delivery_[0-9a-z]{26})_[0-9a-z]{26}\b/g, (id) =>
      id.replaceAll(/[0-9a-z]{26}/g, '01m7yxk8zbevcsetqktderpyf0'),
    )
    .replaceAll(/pbk_([a-z]+)_\w+/g, 'pbk_$1_01m7yxk8zbevcsetqktderpyf0_exampleOfASecretThatIsShownOnce')
    .replaceAll(/"nextCursor":"[\w.-]+"/g, '"nextCursor":"WzE1LCJhdWRpdCJd.Lx3E2Fk_QBuCTUMNc7zx7A"')
    .replaceAll(/whsec_[\w+/=]+/g, `whsec_${Buffer.from('an example of a webhook secret').toString('base64')}`)
    .replaceAll(/"[0-9a-f]{64}"/g, `"${'5e'.repeat(32)}"`)
    .replaceAll(/(\w*[mM]s)(\\?":\s?)[\d.]+/g, '$1$212');
}
