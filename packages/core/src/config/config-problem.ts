import type { ErrorCode } from '@patchbay/contracts/error-codes';
import { PatchbayError } from '@patchbay/contracts/errors';
import { type ConfigPath, formatPath, pathPointer } from './config-path.ts';

export interface ConfigProblem {
  readonly path: ConfigPath;
  /** Stable name, such as `required`, `unknown_option` or `plugin_not_found`. */
  readonly code: string;
  /** Without the path and without any value, which may be a secret. */
  readonly message: string;
}

/** A position in a string, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The problems without duplicates. */
export function withoutRepeats(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((one) => [`${pathPointer(one.path)} ${one.message}`, one])).values()];
}

const startCodes: readonly ErrorCode[] = ['plugin_not_found', 'plugin_incompatible'];

/** One error for all problems of a config that is not from a file. Has the code that they all share, if any. */
export function problemsError(problems: readonly ConfigProblem[]): PatchbayError {
  const shared = startCodes.find((code) => problems.every((problem) => problem.code === code));
  const lines = problems.map(({ path, message }) => `${formatPath(path)} ${message}`);
  const errors = problems.map(({ path, code, message }) => ({ pointer: pathPointer(path), code, detail: message }));
  return new PatchbayError(shared ?? 'config_invalid', lines.join('\n'), { errors });
}

/** One error for all problems of a file, in the order of the file, each as `file:line:column path`. */
export function fileProblemsError(
  file: string,
  problems: readonly ConfigProblem[],
  placeOf: (problem: ConfigProblem) => Place | undefined,
): PatchbayError {
  const placed = problems
    .map((problem) => ({ ...problem, place: placeOf(problem) }))
    .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0));
  const lines = placed.map(({ path, message, place }) => {
    const where = place === undefined ? file : `${file}:${place.line}:${place.column}`;
    return path.length === 0 ? `${where} ${message}` : `${where} ${formatPath(path)} ${message}`;
  });
  const errors = placed.map(({ path, code, message, place }) => ({
    pointer: pathPointer(path),
    code,
    detail: message,
    ...place,
  }));
  return new PatchbayError('config_invalid', lines.join('\n'), { errors });
}

export interface NodePlace {
  readonly key?: Place;
  readonly value: Place;
}

/** A config as it is written in its file, with the position of every value. */
export interface ParsedConfig {
  readonly value: unknown;
  /** By JSON Pointer. Empty for a config in JavaScript, of which only the result is known. */
  readonly places: ReadonlyMap<string, NodePlace>;
  readonly problems: readonly PlacedProblem[];
}

/** A problem in the text itself, with its own position. */
export interface PlacedProblem extends ConfigProblem {
  readonly place: Place;
}

const aboutTheKey: readonly string[] = ['unknown_option', 'invalid_name', 'duplicate_key'];

/** The position of a problem: its value or key, or, for a missing option, the key of its parent. */
export function placeOf(problem: ConfigProblem, places: ParsedConfig['places']): Place | undefined {
  if ('place' in problem) return (problem as PlacedProblem).place;
  const own = places.get(pathPointer(problem.path));
  if (own !== undefined) return aboutTheKey.includes(problem.code) ? (own.key ?? own.value) : own.value;
  return nearestAncestor(problem.path, places);
}

function nearestAncestor(path: ConfigPath, places: ParsedConfig['places']): Place | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const ancestor = places.get(pathPointer(path.slice(0, length)));
    if (ancestor !== undefined) return ancestor.key ?? ancestor.value;
  }
  return undefined;
}
