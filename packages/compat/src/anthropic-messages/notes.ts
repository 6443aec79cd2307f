import type { JsonObject } from '@patchbay/core/plugin';
import type { Extra } from '@patchbay/core/provider';
import { printable, Warnings } from '../request/warnings.ts';

/** The name of this API among the dialects, under which members stand that no other has. */
export const dialect = 'anthropic-messages';

/** Collects the warnings about one request, and keeps what only some models follow. */
export class Notes extends Warnings {
  /**
   * Keep members that other vendors do not have, for a provider of this API.
   *
   * @param kind The kind of object that has them, such as `tools`; none for the request itself.
   */
  keep(members: JsonObject | undefined, kind?: string): { readonly extra?: Extra } {
    if (!members) return {};
    for (const name of Object.keys(members)) {
      const shown = printable(kind === undefined ? name : `${kind}.${name}`);
      this.add(`${shown} is sent to models with the API of Anthropic only`);
    }
    return { extra: { [dialect]: members } };
  }
}
