import type { Call } from './call.ts';
import type { CallOptions } from './call-options.ts';
import type { CallStream } from './call-stream.ts';
import type { DynamicOperations } from './dynamic-client.ts';

/** A function of a server, whose input and output are known. */
export interface TypedFunction<Input extends readonly unknown[], Result> {
  (...call: [...input: Input, options?: Omit<CallOptions, 'schema'>]): Call<Result>;
  stream(...call: [...input: Input, options?: Omit<CallOptions, 'schema'>]): CallStream<Result>;
}

/**
 * An object with the functions of `F` and no others: a name that is not among them is an error of the compiler. `F` is
 * what `patchbay types` writes: an interface with one method for each stored function.
 *
 * @example
 * ```ts
 * import { createClient, type TypedClient } from '@patchbay/client';
 *
 * interface Functions {
 *   summarizeText(input: { text: string }): { summary: string };
 * }
 * const ai = createClient().ai as unknown as TypedClient<Functions>;
 * const { summary } = await ai.summarizeText({ text: 'A long text.' });
 * console.log(summary.length);
 * ```
 */
export type TypedClient<F> = {
  readonly [N in keyof F]: F[N] extends (...input: infer Input) => infer Result ? TypedFunction<Input, Result> : never;
} & Pick<DynamicOperations<Record<never, never>>, '$client'> & {
    /** Not a promise, so that it can be awaited and returned without a call. */
    readonly then?: undefined;
  };
