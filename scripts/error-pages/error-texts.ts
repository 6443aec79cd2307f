import { readFileSync } from 'node:fs';
import type { ErrorCode } from '@patchbay/core';
import { parse } from 'yaml';

/** The documentation of a code. `docs/reference/errors.yaml` explains each member. */
export interface ErrorText {
  readonly happened: string;
  readonly todo: string;
  readonly why: string;
  readonly fix: readonly string[];
  readonly operator?: readonly string[];
  readonly members?: Readonly<Record<string, string>>;
  readonly seen?: 'code' | 'start' | 'log' | 'compatible';
  readonly related: readonly ErrorCode[];
}

/** The texts of all codes, by group and code, in the order of the page. */
export type ErrorTexts = Readonly<Record<string, Readonly<Partial<Record<ErrorCode, ErrorText>>>>>;

export function readErrorTexts(): ErrorTexts {
  return parse(readFileSync(new URL('../../docs/reference/errors.yaml', import.meta.url), 'utf8')) as ErrorTexts;
}
