import type { Client } from '../client.ts';
import type { HttpReply } from '../http/http.ts';
import { createResultStream } from '../http/result-stream.ts';
import { toOutput } from '../shape/output.ts';
import { Call, type CallResult, type RawResult, type Score } from './call.ts';
import { type CallOptions, checkInput, checkOptions, type SharedOptions } from './call-options.ts';
import type { Declared, DynamicClient } from './dynamic-client.ts';
import { createDynamicObject } from './dynamic-object.ts';
import type { CallRequest, CallResolver } from './resolve-call.ts';

interface DynamicDependencies {
  readonly client: () => Client;
  readonly resolve: CallResolver;
  readonly feedback: Client['feedback'];
  /** Shown when the object is printed. */
  readonly url: () => string;
}

/** @throws ShapeError, TypeError for an invalid declaration. */
export function createDynamicClient<D extends Declared>(
  declared: D,
  parts: DynamicDependencies,
  shared: SharedOptions = {},
): DynamicClient<D> {
  const outputs = new Map(Object.entries(declared).map(([name, shape]) => [name, toOutput(shape, name)]));

  const merge = (options: CallOptions): CallOptions => ({
    ...shared,
    ...options,
    headers: { ...shared.headers, ...options.headers },
  });

  const requestOf = (name: string, input: unknown, options: CallOptions = {}, stream: boolean): CallRequest => {
    checkOptions(options);
    const { schema, ...rest } = merge(options);
    const output = schema === undefined ? outputs.get(name) : toOutput(schema, name);
    // Created here and not per attempt: a call may be sent in several ways.
    const key = options.idempotencyKey ?? crypto.randomUUID();
    return { name, input: checkInput(name, input), options: rest, key, output, stream };
  };

  const withScore = <T extends { withMeta(): Promise<CallResult<unknown>> }>(call: T): T & { score: Score } => {
    const score: Score = async (value, options) => {
      const { meta } = await call.withMeta();
      return await parts.feedback({ ...options, target: meta.id as string, value });
    };
    return Object.assign(call, { score });
  };

  const call = (name: string, input: unknown, options?: CallOptions): Call<unknown> => {
    const request = requestOf(name, input, options, false);
    const send = async (): Promise<RawResult<unknown>> => {
      const reply = await parts.resolve(request);
      const { status, headers, text } = reply;
      return { ...(await finish(request, reply.json, reply)), response: new Response(text, { status, headers }) };
    };
    return withScore(Call.of(send()));
  };

  const caller = {
    call,
    stream(name: string, input: unknown, options?: CallOptions) {
      const request = requestOf(name, input, options, true);
      const stream = createResultStream(parts.resolve(request), {
        pieceOf(document) {
          const { output } = document as { readonly output: unknown };
          return request.output ? request.output.parsePartial(output) : output;
        },
        addsUp: false,
        finish: (whole, reply) => finish(request, whole, reply),
      });
      const withMeta = () => stream.final();
      return withScore({ ...stream, withMeta, final: async () => (await withMeta()).data });
    },
  };
  const own = {
    $call: call,
    $with(options: SharedOptions) {
      checkOptions(options);
      return createDynamicClient(declared, parts, merge(options));
    },
    get $client() {
      return parts.client();
    },
  };
  const names = [...outputs.keys()];
  const description = () => `PatchbayClient { url: '${parts.url()}', declared: [${names.join()}] }`;
  return createDynamicObject(names, own, caller, description) as DynamicClient<D>;
}

/** Validates the response, and adds metadata of the request. */
async function finish(
  { name, output: declared }: CallRequest,
  answer: unknown,
  { headers, retries }: HttpReply,
): Promise<CallResult<unknown>> {
  // The input belongs to the caller, and must not be logged with the rest.
  const { output, input: _, ...rest } = answer as Readonly<Record<string, unknown>>;
  const data = declared ? await declared.parse(output) : output;
  const requestId = headers.get('request-id') ?? undefined;
  return { data, meta: { source: 'generated', warnings: [], ...rest, name, requestId, retries } };
}
