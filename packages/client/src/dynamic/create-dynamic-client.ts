import type { Client } from '../client.ts';
import { toOutput } from '../shape/output.ts';
import { Call, type CallResult, type RawResult } from './call.ts';
import type { CallAnswer } from './call-answer.ts';
import { type CallOptions, checkInput, checkOptions, type SharedOptions } from './call-options.ts';
import { createCallStream } from './call-stream.ts';
import type { Declared, DynamicClient } from './dynamic-client.ts';
import { createDynamicObject } from './dynamic-object.ts';
import type { CallRequest, CallResolver, Resolved } from './resolve-call.ts';

export interface DynamicParts {
  readonly client: () => Client;
  readonly resolve: CallResolver;
  /** For whoever prints the object. */
  readonly url: () => string;
}

/** @throws ShapeError, TypeError for what cannot be declared. */
export function createDynamicClient<D extends Declared>(
  declared: D,
  parts: DynamicParts,
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
    // Made here and not for each attempt: a call may be tried in several ways.
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    return { name, input: checkInput(name, input), options: { ...rest, idempotencyKey }, output, stream };
  };

  const call = (name: string, input: unknown, options?: CallOptions): Call<unknown> => {
    const request = requestOf(name, input, options, false);
    const send = async (): Promise<RawResult<unknown>> => {
      const resolved = await parts.resolve(request);
      const { status, headers, text } = resolved.reply;
      const result = await finish(request, resolved, resolved.answer as CallAnswer);
      return { ...result, response: new Response(text, { status, headers }) };
    };
    return Call.of(send());
  };

  const caller = {
    call,
    stream(name: string, input: unknown, options?: CallOptions) {
      const request = requestOf(name, input, options, true);
      return createCallStream(parts.resolve(request), request.output, finish.bind(undefined, request));
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

async function finish(
  { name, output }: CallRequest,
  { reply }: Resolved,
  answer: CallAnswer,
): Promise<CallResult<unknown>> {
  const { headers, retries } = reply;
  const data = output ? await output.parse(answer.output) : answer.output;
  return { data, meta: { ...answer.meta, name, requestId: headers.get('request-id') ?? undefined, retries } };
}
