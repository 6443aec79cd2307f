import type { RequestOptions } from '../http/client-config.ts';
import type { OutputShape } from '../shape/output.ts';

/**
 * Options of one call. The list is closed: prompts and sampling belong to the function, and so to the server,
 * where they can be changed without a release of the application.
 */
export interface CallOptions<S extends OutputShape = OutputShape> extends RequestOptions {
  /** `<provider>/<model_name>`, or `auto`. Default: the server's choice. */
  readonly model?: string;
  /**
   * Use of cached outputs, if the settings of the function enable caching: `reload` calls the
   * model and caches the new output, `no-store` calls it and caches nothing. Default: `default`, a cached output is used.
   */
  readonly cache?: 'default' | 'reload' | 'no-store';
  /** Logged by the server with the call, such as the calling part of the application. At most 16 strings. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The output of this call, instead of the declared one. */
  readonly schema?: S;
}

/** Options of all calls of a derived client. */
export type SharedOptions = Omit<CallOptions, 'schema' | 'idempotencyKey'>;

const known = 'model schema cache metadata signal timeout maxRetries idempotencyKey headers'.split(' ');

/** @throws TypeError for unknown options. */
export function checkOptions(options: object): void {
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    throw new TypeError(
      `"${option}" is no option of a call; options are ${known.join()}. ` +
        'Prompts and sampling are settings of the function on the server: PUT /functions/:id/settings',
    );
  }
}

/** @throws TypeError unless the input is a plain object or absent. */
export function checkInput(name: string, input: unknown): object {
  if (input === undefined) return {};
  const prototype: unknown = typeof input === 'object' && input !== null ? Object.getPrototypeOf(input) : undefined;
  // Plain objects of another realm have another prototype, whose own prototype is null as well.
  const isPlain = prototype === null || (prototype !== undefined && Object.getPrototypeOf(prototype) === null);
  if (isPlain) return input as object;
  throw new TypeError(`the input of "${name}" must be a plain object`);
}
