import { type ConfigPath, pathPointer } from './config-path.ts';
import type { ConfigProblem, Place } from './config-problem.ts';

/** Where a value begins, and the key before it. */
export interface NodePlace {
  readonly key?: Place;
  readonly value: Place;
}

/** A config as it stands in its file, with the place of every value. */
export interface ParsedConfig {
  readonly value: unknown;
  /** By JSON Pointer. Empty for a config in JavaScript, of which only the outcome is known. */
  readonly places: ReadonlyMap<string, NodePlace>;
  readonly problems: readonly PlacedProblem[];
}

/** A problem of the text itself, which knows its place. */
export interface PlacedProblem extends ConfigProblem {
  readonly place: Place;
}

const aboutTheKey: readonly string[] = ['unknown_option', 'invalid_name', 'duplicate_key'];

/** Where a problem is: at its value or key, or, for what is missing, at the key of what it is missing from. */
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
