/** Warnings become a header, whose size is limited. */
const MOST_WARNINGS = 32;
const MOST_CHARACTERS = 80;

/** The adaptations of one request, each named once. */
export class Warnings {
  readonly #all = new Set<string>();

  add(warning: string): void {
    if (this.#all.size < MOST_WARNINGS) this.#all.add(warning);
  }

  get all(): readonly string[] {
    return [...this.#all];
  }
}

/** A name out of a request, fit for a header. */
export function printable(name: string): string {
  return name.slice(0, MOST_CHARACTERS).replaceAll(/[^ -~]/g, '?');
}
