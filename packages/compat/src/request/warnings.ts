import type { JsonObject } from '@patchbay/core/plugin';
import type { Extra } from '@patchbay/core/provider';
import type { Field } from './field.ts';

/** The APIs under whose names their own members are kept, and their vendors. */
const vendors = { 'openai-chat': 'OpenAI', 'openai-responses': 'OpenAI', 'anthropic-messages': 'Anthropic' } as const;

/** Warnings become a header, whose size is limited. */
const MOST_WARNINGS = 32;
const MOST_CHARACTERS = 80;

/** The changes made by a parser, for a header of the response. */
export interface RequestWarnings {
  /** One sentence for each member that is left out or changed for every model. */
  readonly warnings: readonly string[];
  /**
   * One sentence for each member that only models with this API receive. If the answer names those that were not sent,
   * these say nothing new.
   */
  readonly announced: readonly string[];
}

/** The adaptations of one request, each named once. */
export class Warnings {
  readonly #dialect: keyof typeof vendors;
  readonly #changed = new Set<string>();
  readonly #announced = new Set<string>();

  constructor(dialect: keyof typeof vendors) {
    this.#dialect = dialect;
  }

  add(warning: string): void {
    if (this.#changed.size < MOST_WARNINGS) this.#changed.add(warning);
  }

  /**
   * Keep members that other vendors do not have, as they were sent, for a provider of this API.
   *
   * @param of Where they are, such as `messages[]`; nothing for the request itself.
   * @param within The path of what only this API has in a member, for those that other APIs have in part.
   */
  keep(
    members: JsonObject | undefined,
    of = '',
    within: Readonly<Record<string, string>> = {},
  ): { readonly extra?: Extra } {
    if (!members) return {};
    for (const name of Object.keys(members)) {
      const path = (Object.hasOwn(within, name) && within[name]) || name;
      this.announce(of === '' ? path : `${of}.${path}`);
    }
    return { extra: { [this.#dialect]: members } };
  }

  announce(path: string): void {
    if (this.#announced.size >= MOST_WARNINGS) return;
    this.#announced.add(`${printable(path)} is sent to models with the API of ${vendors[this.#dialect]} only`);
  }

  /** All of them, with the members that no parser has read. Call it last. */
  of(body: Pick<Field, 'unread'>): RequestWarnings {
    for (const path of body.unread()) this.add(`${printable(path)} is left out`);
    return { warnings: [...this.#changed], announced: [...this.#announced] };
  }
}

/** A name from a request, safe for a header. */
function printable(name: string): string {
  return name.slice(0, MOST_CHARACTERS).replaceAll(/[^ -~]/g, '?');
}
