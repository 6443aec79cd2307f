import assert from 'node:assert/strict';
import { PatchbayError, type Secrets } from '@patchbay/core/plugin';
import type { Runner } from '../runner.ts';

/** Secrets that are there, and one that is not. */
export interface SecretsUnderTest {
  /** Not started. */
  readonly secrets: Secrets;
  /** Values by name: at least one. */
  readonly known: Readonly<Record<string, string>>;
  /** A name that a secret could have, but none has. */
  readonly missing: string;
  /** Remove what was made for the test. */
  dispose?(): Promise<void>;
}

export interface SecretsConformanceOptions {
  create(): SecretsUnderTest | Promise<SecretsUnderTest>;
}

// Members of every object, which are not secrets.
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];

/**
 * The tests that every plugin for secrets has to pass, run against yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Secrets } from '@patchbay/core/plugin';
 * import { secretsConformance } from '@patchbay/testing';
 *
 * declare function createMySecrets(values: Record<string, string>): Secrets;
 *
 * const known = { TOKEN: 'a value that is hard to guess' };
 * secretsConformance({ describe, it }, { create: () => ({ secrets: createMySecrets(known), known, missing: 'OTHER' }) });
 * ```
 */
export function secretsConformance(runner: Runner, options: SecretsConformanceOptions): void {
  const it = (name: string, body: (subject: SecretsUnderTest) => Promise<void>) =>
    runner.it(name, async () => {
      const subject = await options.create();
      try {
        await subject.secrets.start?.(new AbortController().signal);
        await body(subject);
      } finally {
        await subject.secrets.stop?.();
        await subject.dispose?.();
      }
    });

  runner.describe('secrets', () => {
    it('resolve to their exact values, repeatedly', async ({ secrets, known }) => {
      const names = Object.keys(known);
      assert.ok(names.length > 0, 'the suite needs a secret that is there');
      const all = [...names, ...names];
      assert.deepEqual(
        await Promise.all(all.map((name) => secrets.resolve(name))),
        all.map((name) => known[name]),
      );
    });

    it('that are missing are named', async ({ secrets, missing }) => {
      const error = await failureOf(secrets, missing);
      assert.equal(error.code, 'config_invalid');
      assert.ok(error.message.includes(missing), `"${error.message}" does not name ${missing}`);
    });

    it('stay out of the error for another secret', async ({ secrets, known, missing }) => {
      await Promise.all(Object.keys(known).map((name) => secrets.resolve(name)));
      const { message, errors, extensions } = await failureOf(secrets, missing);
      const told = JSON.stringify({ message, errors, extensions });
      for (const value of Object.values(known)) assert.ok(!told.includes(value), 'the failure holds a secret');
    });

    it('named like members of every object count as missing', async ({ secrets }) => {
      for (const name of inherited) assert.equal((await failureOf(secrets, name)).code, 'config_invalid', name);
    });
  });
}

async function failureOf(secrets: Secrets, name: string): Promise<PatchbayError> {
  const found = await secrets.resolve(name).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(PatchbayError.is(found), `asking for "${name}" does not fail with a PatchbayError`);
  return found;
}
