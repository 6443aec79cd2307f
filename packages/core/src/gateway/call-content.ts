import { parseJson } from '@patchbay/contracts/base/json-text';
import { fieldsOf } from '@patchbay/outbound/provider-kit/json-fields';
import type { GivenContent } from '../call-content/stored-content.ts';
import type { NotedContext } from '../usage/call-records.ts';
import { assembleEvents } from './assemble-events.ts';
import type { CollectedResponse } from './collect-response.ts';
import type { ModelChoice } from './gateway-service.ts';
import { splitModelId } from './model-catalog.ts';
import type { OriginalRequest } from './original-request.ts';

/** A request as the gateway received it. */
export interface CallRequest extends ModelChoice {
  /** In the format of a vendor's API. */
  readonly original?: OriginalRequest;
}

/** A response that is complete. */
export type CallResponse = { readonly answer: object } | { readonly forwarded: CollectedResponse };

interface EndedCall {
  readonly request: CallRequest;
  readonly response: CallResponse | undefined;
  /** As `<provider>/<model_name>`. */
  readonly model: string;
}

/**
 * Request and response of a call. A request in a vendor's API is as its client sent it, but with the model's own name and
 * without members that are for the gateway; a vendor's response is as it was sent, as if it had not been a stream.
 */
export async function callContent(
  { call, notes }: Pick<NotedContext, 'call' | 'notes'>,
  { request, response, model }: EndedCall,
): Promise<GivenContent> {
  const { original } = request;
  const asked = original ? await originalDocument(original, model) : requestDocument(request);
  return {
    request: { ...(call?.input && { input: call.input }), ...asked },
    ...(response && (await responseContent(response))),
    ...(notes?.rejected && { repairs: notes.rejected }),
  };
}

async function originalDocument(original: OriginalRequest, model: string): Promise<object> {
  const name = splitModelId(model)?.name ?? model;
  return fieldsOf(await parseJson(textOf(original.bodyFor(name)))) ?? {};
}

/** A request in the gateway's own format, without what its record has. */
export function requestDocument(request: object): object {
  const {
    alias: _alias,
    functionName: _name,
    settingsVersion: _version,
    output,
    ...given
  } = request as Readonly<Record<string, unknown>>;
  return { ...given, ...(output !== undefined && { outputSchema: output }) };
}

/** The members of an answer that its record has. */
const recorded: ReadonlySet<string> = new Set([
  'id',
  'model',
  'createdAt',
  'route',
  'usage',
  'promptTokens',
  'completionTokens',
  'totalTokens',
]);

/** An answer of the gateway, without what its record has. */
export function answerDocument(answer: object): object {
  const told = Object.entries(answer).filter(([name]) => !recorded.has(name));
  return Object.fromEntries(told.map(([name, value]) => [name === 'object' ? 'output' : name, value]));
}

async function responseContent(response: CallResponse): Promise<Pick<GivenContent, 'response' | 'responseBytes'>> {
  if ('answer' in response) return { response: answerDocument(response.answer) };
  const { dialect, isStream, pieces, lost, bytes } = response.forwarded;
  const text = textOf(Buffer.concat(pieces));
  const more = lost ? { responseBytes: bytes } : {};
  if (isStream) return { response: await assembleEvents(dialect, text), ...more };
  const document = lost ? undefined : fieldsOf(await parseJson(text));
  return { response: document ?? { text }, ...more };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
