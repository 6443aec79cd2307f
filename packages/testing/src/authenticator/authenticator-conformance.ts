import type { Runner } from '../runner.ts';
import type { AuthenticatorConformanceOptions, AuthenticatorSuite } from './authenticator-under-test.ts';
import { principalsSuite } from './principals-suite.ts';
import { askedAsByServer } from './request-head.ts';
import { requestsSuite } from './requests-suite.ts';
import { tamperingSuite } from './tampering-suite.ts';

/**
 * The tests that every authenticator has to pass, run against yours: valid tokens identify their own caller, and no other
 * string grants access or discloses anything.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import { authenticatorConformance, type AuthenticatorUnderTest } from '@patchbay/testing';
 *
 * declare function createMine(): Promise<AuthenticatorUnderTest>;
 *
 * authenticatorConformance({ describe, it }, { create: createMine });
 * ```
 */
export function authenticatorConformance(runner: Runner, options: AuthenticatorConformanceOptions): void {
  const suite: AuthenticatorSuite = {
    runner,
    it(name, body) {
      runner.it(name, async () => {
        const subject = await options.create();
        try {
          await subject.authenticator.start?.(new AbortController().signal);
          await body({ ...subject, asked: askedAsByServer(subject) });
        } finally {
          await subject.authenticator.stop?.();
          await subject.dispose();
        }
      });
    },
  };
  runner.describe('authenticator', () => {
    principalsSuite(suite);
    tamperingSuite(suite);
    requestsSuite(suite);
  });
}
