import type { StandardIssue } from './shape/schema.ts';

const brand = Symbol.for('@patchbay/client.error');

/**
 * Base class of all errors of a call. `instanceof` works across copies of this package in one application.
 *
 * @example
 * ```ts
 * import { ai, APIError, TimeoutError } from '@patchbay/client';
 *
 * try {
 *   await ai.$call('summarize', { text: 'A long text.' });
 * } catch (error) {
 *   if (error instanceof APIError && error.code === 'rate_limited') console.log(`again in ${error.retryAfter} s`);
 *   else if (error instanceof TimeoutError) console.log('too slow');
 *   else throw error;
 * }
 * ```
 */
export class PatchbayError extends Error {
  /** The class and its ancestors. Written out, because minifiers rename classes. */
  static readonly kind: string = 'PatchbayError';

  get [brand](): string {
    return (this.constructor as typeof PatchbayError).kind;
  }

  override get name(): string {
    return this[brand].replace(/.*\./, '');
  }

  static override [Symbol.hasInstance](this: { readonly kind: string }, value: unknown): boolean {
    const kind = (value as Partial<PatchbayError> | null | undefined)?.[brand];
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`, which may be a subclass.
    return `${kind}.`.startsWith(`${this.kind}.`);
  }
}

/** No response: no connection, or it was closed early. */
export class ConnectionError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.ConnectionError';
}

/** No response within `timeout`. */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = 'PatchbayError.ConnectionError.TimeoutError';
}

/** The output does not match the declared schema. */
export class OutputInvalidError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.OutputInvalidError';
  /** The output that was rejected. */
  readonly value: unknown;
  readonly issues: readonly StandardIssue[];

  constructor(value: unknown, issues: readonly StandardIssue[]) {
    super(`the output does not fit: ${issues.map(textOf).join('; ')}`);
    this.value = value;
    this.issues = issues;
  }
}

function textOf({ message, path }: StandardIssue): string {
  const place = path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place ? `${place}: ${message}` : message;
}

/** One error of a request, as in a problem document. */
export interface Fault {
  /** JSON Pointer (RFC 6901) into the body. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A problem document (RFC 9457); other services may omit any member. */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly Fault[];
  readonly [member: string]: unknown;
}

/** The server responded with an error. `code` is the reason; `status` is the HTTP status. */
export class APIError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.APIError';
  readonly status: number;
  /** Stable error code, such as `input_invalid`; absent if the response has none. */
  readonly code: string | undefined;
  /** The errors of an invalid request. */
  readonly errors: readonly Fault[];
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** The complete response document. */
  readonly problem: Problem;

  constructor(status: number, problem: Problem, headers?: Headers) {
    const { code, errors = [], detail = problem.title } = problem;
    super(
      [status, code, detail, ...errors.map((fault) => `${fault.pointer} ${fault.detail}`)].filter(Boolean).join(', '),
    );
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = headers?.get('request-id') ?? undefined;
    // The other form, a date, is only usable if the server's clock agrees with ours.
    this.retryAfter = Number(headers?.get('retry-after')) || undefined;
    this.problem = problem;
  }
}

/** The code of a stored function failed, timed out, or returned an invalid output. */
export class ExecutionError extends APIError {
  static override readonly kind: string = 'PatchbayError.APIError.ExecutionError';
  /** The execution: `id`, `status`, and `error` and `logs` if available. */
  get execution(): Readonly<Record<string, unknown>> {
    return this.problem['execution'] as Readonly<Record<string, unknown>>;
  }
}

/** The error of a response. */
export function errorOf(status: number, body: unknown, headers: Headers): APIError {
  const problem = ((typeof body === 'object' && body) || {}) as Problem;
  return new ('execution' in problem ? ExecutionError : APIError)(status, problem, headers);
}
