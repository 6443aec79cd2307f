import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Called } from '../host-calls/served-calls.ts';

const SHOWN_NAME = 200;

/** The calls of one program, in the order in which they ended. */
export class RecordedCalls {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly made: JsonObject[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  async observe(name: string, call: () => Promise<Called>): Promise<Called> {
    const from = this.#clock.monotonic();
    const add = (ended: JsonObject): void => {
      const durationMs = Math.round(this.#clock.monotonic() - from);
      this.made.push({ function: name.slice(0, SHOWN_NAME), ...ended, durationMs });
    };
    try {
      const called = await call();
      add(called.id === undefined ? {} : { executionId: called.id });
      return called;
    } catch (error) {
      const { code, extensions } = PatchbayError.is(error) ? error : unknownError;
      const { id } = (extensions['execution'] ?? {}) as { readonly id?: string };
      add({ ...(id !== undefined && { executionId: id }), error: code });
      throw error;
    }
  }
}

const unknownError = { code: 'internal_error', extensions: {} } as Pick<PatchbayError, 'code' | 'extensions'>;
