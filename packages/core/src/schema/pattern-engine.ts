import { RE2JS } from 're2js';

/**
 * Matches patterns in time linear in the value, and stops matching when one validation has spent its share of steps:
 * linear times a large pattern times a large document would still hold the event loop for seconds.
 */
export interface PatternEngine {
  compile(pattern: string): { test(value: string): boolean; toString(): string };
  /** Start a validation. */
  reset(): void;
  /** Whether a match was refused for its cost since the last `reset`. */
  readonly exhausted: boolean;
}

// About 50 ms at the 20 to 80 ns that one step takes.
const STEPS_PER_VALIDATION = 1_000_000;

export function createPatternEngine(): PatternEngine {
  let left = STEPS_PER_VALIDATION;
  const known = new Map<string, RE2JS>();
  return {
    compile(pattern) {
      // The same schema is compiled twice, and often has the same pattern in several places.
      const compiled = known.get(pattern) ?? RE2JS.compile(pattern);
      known.set(pattern, compiled);
      const stepsPerCharacter = compiled.programSize();
      return {
        test(value) {
          left -= stepsPerCharacter * value.length;
          return left >= 0 && compiled.matcher(value).find();
        },
        // The compiler tells patterns apart by this text.
        toString: () => pattern,
      };
    },
    reset() {
      left = STEPS_PER_VALIDATION;
    },
    get exhausted() {
      return left < 0;
    },
  };
}
