import type { Check } from '../eval-case.ts';
import { closeTo, type Tolerance } from './close-to.ts';
import { contains, equals, failsWith } from './compare.ts';
import { fitsSchema } from './fits-schema.ts';
import { type FindFunction, type Judges, judge } from './judge.ts';
import { matches } from './matches.ts';
import { type Similarity, similar, type Vectors } from './similar.ts';

/** Checks as a file has them: `tests.schema.json` describes each. */
export interface WrittenChecks {
  readonly output?: object;
  readonly contains?: unknown;
  readonly error?: string;
  readonly schema?: object;
  readonly matches?: Readonly<Record<string, string>>;
  readonly closeTo?: Readonly<Record<string, Tolerance>>;
  readonly similar?: Readonly<Record<string, Similarity>>;
  readonly judge?: string | Judges;
}

export interface CheckDependencies {
  readonly vectors: Vectors;
  readonly findFunction: FindFunction;
}

/**
 * The checks of a file.
 *
 * @param expected A correct output, for those that compare with one.
 * @param fail Called with the name of a check that cannot be used, and the reason.
 */
export function createChecks(
  written: WrittenChecks,
  expected: unknown,
  { vectors, findFunction }: CheckDependencies,
  fail: (name: string, reason: string) => void,
): readonly Check[] {
  const makers: { readonly [N in keyof WrittenChecks]-?: (given: NonNullable<WrittenChecks[N]>) => Check } = {
    output: equals,
    contains,
    error: failsWith,
    schema: fitsSchema,
    matches,
    closeTo: (given) => closeTo(given, expected),
    similar: (given) => similar(given, expected, vectors),
    judge: (given) => judge(typeof given === 'string' ? { functions: [given] } : given, expected, findFunction),
  };
  return (Object.keys(makers) as (keyof WrittenChecks)[]).flatMap((name) => {
    const given = written[name];
    if (given === undefined) return [];
    try {
      return [(makers[name] as (given: unknown) => Check)(given)];
    } catch (error) {
      fail(name, (error as Error).message);
      return [];
    }
  });
}
