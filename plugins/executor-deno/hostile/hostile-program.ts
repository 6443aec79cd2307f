import type { ExecutionFailure } from '@patchbay/core/plugin';

/** The kind of harm that a program attempts. */
export type Category =
  | 'files'
  | 'environment'
  | 'network'
  | 'imports'
  | 'processes'
  | 'introspection'
  | 'resources'
  | 'endings'
  | 'persistence'
  | 'forgery'
  | 'realm'
  | 'output'
  | 'context'
  | 'generators'
  | 'source'
  | 'bundle'
  | 'random';

/** How a program has to end. */
export type Expected =
  /** With this output: `string` members of `refused` may be any of several, written with `|`; and with what was yielded. */
  | { readonly output: unknown; readonly yielded?: readonly unknown[] }
  /** Without an output, for one of these reasons. */
  | { readonly reasons: readonly ExecutionFailure[]; readonly message?: RegExp }
  /** It is not saved: one of its faults has this code. */
  | { readonly fault: string }
  /** In either way. */
  | { readonly either: readonly Expected[] }
  /** In any way, as long as it harms only itself. */
  | { readonly anything: true };

/** Code that tries to do what a function must not do, and how that has to fail. */
export interface HostileProgram {
  readonly category: Category;
  /** Says what it tries, unique in its category. */
  readonly name: string;
  /** `{{name}}` stands for a location of the canaries, where the input would be too late. */
  readonly code: string;
  /** The module that is sent with the code, and runs in its place. Locations are filled in as in the code. */
  readonly bundle?: { readonly module: string };
  /** The one expression that it is about, where that can be tried together with those of others. */
  readonly expression?: string;
  /** Joins `canary`, which every program is given: an attacker who knows where everything is. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly expected: Expected;
  /** Where the function finds the globals that the bootstrap removes; default: the same. */
  readonly expectedWithGlobals?: Expected;
  /** Milliseconds of wall time; default: more than any program needs that ends by itself. */
  readonly wallMs?: number;
  readonly outputBytes?: number;
  /** Run after it, as the same function, for another tenant. */
  readonly next?: HostileProgram;
}
