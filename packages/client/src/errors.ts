import type { StandardIssue } from './shape/schema.ts';

const brand = Symbol.for('@patchbay/client.error');

/**
 * The class of every error of a call. `instanceof` works across copies of this package, as two of them in one application
 * would have it.
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
  /** The class and those above it. Written out, because minifiers rename classes. */
  static readonly kind: string = 'PatchbayError';

  get [brand](): string {
    return (this.constructor as typeof PatchbayError).kind;
  }

  override get name(): string {
    return this[brand].replace(/.*\./, '');
  }

  static override [Symbol.hasInstance](this: { readonly kind: string }, value: unknown): boolean {
    const kind = (value as Partial<PatchbayError> | null | undefined)?.[brand];
    // biome-ignore lint/complexity/noThisInStatic: the class that stands right of `instanceof`, which may be a subclass.
    return `${kind}.`.startsWith(`${this.kind}.`);
  }
}

/** No answer: no connection, or it was cut off. */
export class ConnectionError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.ConnectionError';
}

/** No answer within `timeout`. */
export class TimeoutError extends ConnectionError {
  static override readonly kind: string = 'PatchbayError.ConnectionError.TimeoutError';
}

/** The output does not fit the declared schema. */
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

/** One fault of a request, as in a problem document. */
export interface Fault {
  /** JSON Pointer (RFC 6901) into the body. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A problem document (RFC 9457); other services may leave anything out. */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly Fault[];
  readonly [member: string]: unknown;
}

/** The service answered that it did not do it. `code` says why; `status` is that of HTTP. */
export class APIError extends PatchbayError {
  static override readonly kind: string = 'PatchbayError.APIError';
  readonly status: number;
  /** Stable name of the kind of failure, such as `input_invalid`; absent where the answer has none. */
  readonly code: string | undefined;
  /** The faults of an invalid request. */
  readonly errors: readonly Fault[];
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which it makes sense to ask again. */
  readonly retryAfter: number | undefined;
  /** The whole answer. */
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
    // The other form, a date, is for servers whose clock can be trusted to be ours.
    this.retryAfter = Number(headers?.get('retry-after')) || undefined;
    this.problem = problem;
  }
}

/** The code of a stored function failed, ran too long, or made something else than its output. */
export class ExecutionError extends APIError {
  static override readonly kind: string = 'PatchbayError.APIError.ExecutionError';
  /** The execution: `id`, `status`, and where the service tells them `error` and `logs`. */
  get execution(): Readonly<Record<string, unknown>> {
    return this.problem['execution'] as Readonly<Record<string, unknown>>;
  }
}

/** The error that an answer stands for. */
export function errorOf(status: number, body: unknown, headers: Headers): APIError {
  const problem = ((typeof body === 'object' && body) || {}) as Problem;
  return new ('execution' in problem ? ExecutionError : APIError)(status, problem, headers);
}
