import type { JsonObject } from '@patchbay/core/plugin';
import type { Extra } from '@patchbay/core/provider';

/** The name of this API among the dialects, under which members stand that no other has. */
export const dialect = 'anthropic-messages';

/** Collects the warnings about one request, each of them once. */
export class Notes {
  readonly #warnings = new Set<string>();

  add(warning: string): void {
    this.#warnings.add(warning);
  }

  /**
   * Keep members that other vendors do not have, for a provider of this API.
   *
   * @param kind The kind of object that has them, such as `tools`; none for the request itself.
   */
  keep(members: JsonObject | undefined, kind?: string): { readonly extra?: Extra } {
    if (!members) return {};
    for (const name of Object.keys(members).slice(0, MOST_NAMES))
      this.#keptFor(kind === undefined ? name : `${kind}.${name}`);
    return { extra: { [dialect]: members } };
  }

  #keptFor(name: string): void {
    this.add(`${printable(name)} is sent to models with the API of Anthropic only`);
  }

  get warnings(): readonly string[] {
    return [...this.#warnings].slice(0, MOST_WARNINGS);
  }
}

/** Warnings become a header, whose size is limited. */
const MOST_WARNINGS = 32;
const MOST_NAMES = 32;

const printable = (name: string): string => name.slice(0, 80).replaceAll(/[^ -~]/g, '?');
