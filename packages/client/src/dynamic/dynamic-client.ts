/* oxlint-disable typescript/no-explicit-any -- nothing is known of undeclared functions */
import type { Client } from '../client.ts';
import type { OutputOf, OutputShape } from '../shape/output.ts';
import type { Call, CallStream } from './call.ts';
import type { CallOptions, SharedOptions } from './call-options.ts';

/** Outputs by the name of their function. */
export type Declared = Readonly<Record<string, OutputShape>>;

/** The input of a function without a declared input. */
export type AnyInput = object;

/** The output of a function without a declared output. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it, and its fields are to be used without a cast.
export type AnyOutput = Record<string, any>;

/** A function of the server, known by its name. */
export interface DynamicFunction<T> {
  <const S extends OutputShape>(
    input: AnyInput | undefined,
    options: CallOptions<S> & { readonly schema: S },
  ): Call<OutputOf<S>>;
  (input?: AnyInput, options?: CallOptions): Call<T>;
  /** The same call, whose output can be seen while it is written. */
  stream<const S extends OutputShape>(
    input: AnyInput | undefined,
    options: CallOptions<S> & { readonly schema: S },
  ): CallStream<OutputOf<S>>;
  stream(input?: AnyInput, options?: CallOptions): CallStream<T>;
}

/** Members of the object itself. No function has a name that begins with `$`. */
export interface DynamicOperations<D extends Declared> {
  /** Call a function whose name is not known before, or is reserved, such as `then`. */
  $call<const S extends OutputShape>(
    name: string,
    input: AnyInput | undefined,
    options: CallOptions<S> & { readonly schema: S },
  ): Call<OutputOf<S>>;
  $call<const N extends string>(
    name: N,
    input?: AnyInput,
    options?: CallOptions,
  ): Call<N extends keyof D ? OutputOf<D[N]> : AnyOutput>;
  /** The same object with other defaults. */
  $with(options: SharedOptions): DynamicClient<D>;
  /** One method for each endpoint of the server. */
  readonly $client: Client;
}

/**
 * An object on which every name is a function of the server. Declared ones are typed.
 *
 * The other names are `any`: with any other type, `ai.name()` is an error in a project as `tsc --init` makes it, because
 * `noUncheckedIndexedAccess` makes it possibly undefined (microsoft/TypeScript#47594).
 */
export type DynamicClient<D extends Declared = Record<never, never>> = {
  readonly [N in keyof D]: DynamicFunction<OutputOf<D[N]>>;
} & DynamicOperations<D> & {
    /** Not a promise, so that it can be awaited and returned without a call. */
    readonly then?: undefined;
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    readonly [name: string]: any;
  };

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
