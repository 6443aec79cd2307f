import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { TopLevel } from '@patchbay/compat/top-level';
import { checkJson, didYouMean, jsonTextOf, PatchbayError, readJson } from '@patchbay/core';
import { type ErrorObject, type ValidateFunction, Ajv2020 as Validator } from 'ajv/dist/2020.js';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import type { BodyRule, RawBody } from '../operation.ts';
import { componentSchemas, type SchemaName, type SchemaObject } from '../schemas/components.ts';
import type { ErrorDetail, JsonDocument } from '../service-types.ts';

const jsonType = /^application\/json[ \t]*(?:;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^\s";]*)/i;

/**
 * The JSON document of a request.
 *
 * @throws PatchbayError `unsupported_media_type`, `body_too_large`, `client_closed_request`, and what `parseJson` throws.
 */
export async function readJsonBody(
  request: IncomingRequest,
  { limitBytes, larger }: Pick<BodyRule<unknown>, 'limitBytes' | 'larger'>,
  take: Take,
): Promise<JsonDocument> {
  if (!larger) {
    const parsed = parseBody(await readMedia(request, jsonType, limitBytes, take));
    return parsed instanceof Promise ? await parsed : parsed;
  }
  let size = 0;
  const count: Take = (bytes) => {
    size += bytes;
    take(bytes);
  };
  const document = await parseBody(await readMedia(request, jsonType, larger.limitBytes, count));
  if (size > limitBytes && !hasMember(document.value, larger.member)) throw bodyTooLarge(limitBytes);
  return document;
}

/** The same bounds for a body that a parser of the host has read. A promise only where it takes several turns. */
function parseBody(body: ReceivedBody): JsonDocument | Promise<JsonDocument> {
  return 'bytes' in body ? parseJson(body.bytes) : checkJson(body.parsed);
}

/** Longer bodies are parsed over several turns of the event loop. */
export const BYTES_AT_ONCE = 524_288;

export type Take = Parameters<IncomingRequest['readBody']>[1];

/**
 * The body of a request as it was sent. One that the host has already parsed is serialized again.
 *
 * @throws PatchbayError as `readJsonBody` does.
 */
export async function readRawBody(request: IncomingRequest, limitBytes: number, take: Take): Promise<RawBody> {
  const body = await readMedia(request, jsonType, limitBytes, take);
  // Each step over many bytes gets its own turn of the event loop.
  const inTurns = 'bytes' in body && body.bytes.length > BYTES_AT_ONCE;
  if (inTurns) await setImmediate();
  const { value: json } = await parseBody(body);
  if (inTurns) await setImmediate();
  const bytes = 'bytes' in body ? withoutMark(body.bytes) : new TextEncoder().encode(jsonTextOf(json));
  const topLevel = new TopLevel(bytes);
  if (inTurns) await setImmediate();
  return { topLevel, json };
}

/** The UTF-8 byte order mark is not JSON. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** @throws PatchbayError `invalid_request`: a body where none is expected is how requests are smuggled. */
export function refuseBody(hasBody: boolean): void {
  if (hasBody) throw new PatchbayError('invalid_request', 'this request must not have a body');
}

/** The body without the fields that the service owns. */
export function withoutIgnored(body: unknown, ignored: readonly string[] = []): unknown {
  if (ignored.length === 0 || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.includes(name)));
}

/** Whether a document has a member, however deep. */
function hasMember(document: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, name)) return false;
  return hasMember(Reflect.get(document, name), rest);
}

/** @throws PatchbayError `body_too_large`. */
export function bodyTooLarge(limitBytes: number): PatchbayError {
  return new PatchbayError('body_too_large', `at most ${limitBytes} bytes are accepted`);
}

/** A body with a matching media type. @throws PatchbayError */
export function readMedia(
  request: IncomingRequest,
  wanted: RegExp,
  limitBytes: number,
  take: Take,
): Promise<ReceivedBody> {
  checkMediaType(request, wanted);
  const body = request.readBody(limitBytes, take);
  const digest = request.header('content-digest');
  return digest === undefined ? body : body.then((received) => checkContentDigest(digest, received));
}

function checkMediaType(request: IncomingRequest, wanted: RegExp): void {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new PatchbayError('unsupported_media_type', 'send the body without Content-Encoding');
  }
  const type = request.header('content-type');
  if (type === 'application/json') return;
  if (type === undefined || !wanted.test(type)) {
    throw new PatchbayError('unsupported_media_type', 'send the body as Content-Type: application/json');
  }
  const [, name] = charset.exec(type) ?? [];
  if (name !== undefined && name.toLowerCase() !== 'utf-8' && name.toLowerCase() !== 'utf8') {
    throw new PatchbayError('unsupported_media_type', 'the charset of the body must be utf-8');
  }
}

const algorithms: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);
const member = /^([a-z][\w.*-]*)=:([A-Za-z0-9+/]+={0,2}):$/;

/**
 * Compare a body with its `Content-Digest` (RFC 9530), so that an authenticator whose signature covers that header has
 * checked the body, which it does not see.
 *
 * @throws PatchbayError `invalid_request` for another body, and for a digest that cannot be compared.
 */
export function checkContentDigest(header: string | undefined, body: ReceivedBody): ReceivedBody {
  if (header === undefined) return body;
  if (!('bytes' in body)) {
    throw new PatchbayError('invalid_request', 'Content-Digest cannot be verified: the host parses bodies first');
  }
  const digests = header.split(',').flatMap((text) => {
    const [, name = '', digest] = member.exec(text.trim()) ?? [];
    const algorithm = algorithms.get(name);
    return algorithm === undefined ? [] : [{ algorithm, digest }];
  });
  if (digests.length === 0 || digests.length > algorithms.size) {
    throw new PatchbayError('invalid_request', 'Content-Digest must contain sha-256 or sha-512, as in sha-256=:…:');
  }
  for (const { algorithm, digest } of digests) {
    if (hash(algorithm, body.bytes, 'base64') === digest) continue;
    throw new PatchbayError('invalid_request', 'the body does not match Content-Digest');
  }
  return body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parse a body. A byte order mark is skipped.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 */
export function parseJson(bytes: Uint8Array): JsonDocument | Promise<JsonDocument> {
  return readJson(decode(bytes));
}

/** @throws PatchbayError `invalid_json`. */
export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new PatchbayError('invalid_json', 'the body is not valid UTF-8', { cause });
  }
}

/** A JSON Pointer (RFC 6901) one step further. */
function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** @throws PatchbayError `invalid_request` with all faults of the body. */
export type BodyValidator = (document: JsonDocument) => void;

const MAX_FAULTS = 50;

// Distances to a long string take long to compute, and it is not a typo.
const MAX_HINTED = 100;

// Up to this many values all faults are reported, beyond that the first one: a list of 100,000 wrong values must not
// become 100,000 faults.
const EXPLAINED_VALUES = 5_000;

// Each is created once for all APIs of a process.
const quickCompiler = once(() => createAjv(false));
const thoroughCompiler = once(() => createAjv(true));
const validators = new WeakMap<BodyRule<unknown>, BodyValidator>();

/**
 * The validator of a row. Its schema is compiled when the first body needs it, because compiling all of them takes
 * longer than the rest of the start, and most processes, above all those of tests, need few.
 */
export function bodyValidator(rule: BodyRule<unknown>): BodyValidator {
  const validator = validators.get(rule) ?? createBodyValidator(rule);
  validators.set(rule, validator);
  return validator;
}

function createBodyValidator({ schema: name, ignored = [] }: BodyRule<unknown>): BodyValidator {
  const checkOf = once(() => quickCompiler().compile(withIgnored(name, ignored)));
  const explainOf = once(() => thoroughCompiler().compile(withIgnored(name, ignored)));
  return ({ value, values }) => {
    const check = checkOf();
    if (check(value)) return;
    throw new PatchbayError('invalid_request', 'the body does not match the schema', {
      errors: faults(values <= EXPLAINED_VALUES ? explainOf() : check, value)
        .slice(0, MAX_FAULTS)
        .map(describe),
    });
  };
}

function faults(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  validate(value);
  // That a condition led to a fault adds nothing to the fault.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function createAjv(allErrors: boolean): Validator {
  // Without `ownProperties`, `required: ["toString"]` would hold for every object.
  const ajv = new Validator({
    allErrors,
    ownProperties: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // The schemas are our own, and a test validates them: compiling the meta-schema is by far the most expensive part.
    validateSchema: false,
    // Nearly half of the compilation time, for a function that only invalid bodies need.
    code: { optimize: !allErrors },
  });
  // The function service checks schemas of callers, and refuses them with `schema_invalid`.
  for (const [name, schema] of Object.entries({ ...componentSchemas, Schema: { type: 'object' } })) {
    ajv.addSchema(withOwnReferences(schema), `patchbay:${name}`);
  }
  return ajv;
}

function withIgnored(name: SchemaName, ignored: readonly string[]): object {
  const schema: SchemaObject = componentSchemas[name];
  const accepted = Object.fromEntries(ignored.map((field) => [field, {}]));
  return withOwnReferences({ ...schema, properties: { ...schema.properties, ...accepted } });
}

function withOwnReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"patchbay:'));
}

function describe(error: ErrorObject): ErrorDetail {
  const { keyword, params, instancePath, parentSchema, data } = error;
  if (keyword === 'required') {
    return { pointer: pointerTo(instancePath, params['missingProperty']), code: keyword, detail: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    const given = String(params['additionalProperty']);
    const hint = didYouMean(given, Object.keys(parentSchema?.['properties'] ?? {}));
    return { pointer: pointerTo(instancePath, given), code: 'unknown_field', detail: `is not a field here${hint}` };
  }
  if (keyword === 'enum') {
    const allowed: readonly unknown[] = params['allowedValues'];
    const listed = allowed.map((one) => JSON.stringify(one)).join(', ');
    const hint = typeof data === 'string' && data.length <= MAX_HINTED ? didYouMean(data, allowed.map(String)) : '';
    return { pointer: instancePath, code: keyword, detail: `must be one of ${listed}${hint}` };
  }
  // The message of a pattern is its source; its meaning is next to it.
  const meaning = keyword === 'pattern' ? parentSchema?.['$comment'] : undefined;
  return { pointer: instancePath, code: keyword, detail: meaning ?? error.message ?? 'is not valid' };
}
