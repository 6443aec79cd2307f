import type { StandardIssue } from './shape/standard-schema.ts';

const brand = Symbol.for('@patchbay/client.error');

/**
 * What every error of a call is. `instanceof` works across copies of this package, as two of them in one application
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
  /** What was answered. */
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
