/**
 * What an execution shares with others.
 *
 * - `fresh`: nothing. It has a process that has waited for it.
 * - `reuse`: a process, with earlier executions of the same version of a function for the same tenant, one at a time.
 * - `cold`: nothing. Its process is started for it.
 */
export const isolations = ['fresh', 'reuse', 'cold'] as const;
export type Isolation = (typeof isolations)[number];

export interface IsolationRule {
  /** Ids or names of functions; `*` stands for any characters. */
  readonly match: readonly string[];
  readonly isolation: Isolation;
}

/** Which isolation a function has: that of the first rule that names it, or else the default. */
export class IsolationRules {
  readonly #fallback: Isolation;
  readonly #rules: readonly { readonly patterns: readonly RegExp[]; readonly isolation: Isolation }[];

  constructor(fallback: Isolation, rules: readonly IsolationRule[] = []) {
    this.#fallback = fallback;
    this.#rules = rules.map(({ match, isolation }) => ({ patterns: match.map(toPattern), isolation }));
  }

  /** Whether any function can have one of these. */
  uses(...wanted: readonly Isolation[]): boolean {
    return [this.#fallback, ...this.#rules.map(({ isolation }) => isolation)].some((each) => wanted.includes(each));
  }

  of({ functionId, functionName = '' }: FunctionIdentity): Isolation {
    const fits = (pattern: RegExp): boolean => pattern.test(functionId) || pattern.test(functionName);
    return this.#rules.find(({ patterns }) => patterns.some(fits))?.isolation ?? this.#fallback;
  }
}

interface FunctionIdentity {
  readonly functionId: string;
  readonly functionName?: string;
}

function toPattern(glob: string): RegExp {
  // Runs of stars are one: several in a row would try all ways to share the characters among them.
  const parts = glob.split(/\*+/u).map((part) => part.replace(/[$()*+./?[\\\]^{|}-]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su');
}
