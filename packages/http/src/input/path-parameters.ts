import { type ErrorCode, PatchbayError } from '@patchbay/core';

/** A parameter of a path. */
export interface PathParameter {
  readonly description: string;
  /** Default: 1 to 255 characters, none of them a control character. */
  readonly pattern?: RegExp;
  /** The answer for values that cannot name anything: the same as for what does not exist. */
  readonly notFound: ErrorCode;
}

const nameable = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Refuse values that no store should be asked about. */
export function checkPathParameters(
  params: Readonly<Record<string, string>>,
  declared: Readonly<Record<string, PathParameter>>,
): void {
  for (const name in declared) {
    const parameter = declared[name];
    if (parameter && !(parameter.pattern ?? nameable).test(params[name] ?? '')) {
      throw new PatchbayError(parameter.notFound, `there is nothing with this ${name}`);
    }
  }
}
