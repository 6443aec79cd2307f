import type { AuthenticatorSuite } from './authenticator-under-test.ts';
import { assertRefused } from './outcome-of.ts';

/** The positions of a token to try: all of a short token, and some in each part of a long one. */
function places(token: string): readonly number[] {
  const step = Math.max(1, Math.floor(token.length / 150));
  return [...Array.from({ length: Math.ceil(token.length / step) }, (_, index) => index * step), token.length - 1];
}

/** Only a valid token grants access. */
export function tamperingSuite({ runner, it }: AuthenticatorSuite): void {
  runner.describe('a token that is not good', () => {
    it('with another character is refused', async ({ asked, issue }) => {
      const token = await issue({ tenant: 'acme', scopes: ['functions:read'] });
      for (const place of places(token)) {
        for (const character of ['A', 'b', '0', '-']) {
          if (token[place] === character) continue;
          const other = token.slice(0, place) + character + token.slice(place + 1);
          await assertRefused(asked, other, `${character} at ${place}`);
        }
      }
    });

    it('cut short or extended is refused', async ({ asked, issue }) => {
      const token = await issue({ tenant: 'acme', scopes: ['functions:read'] });
      for (const place of places(token)) await assertRefused(asked, token.slice(0, place) || 'x', `cut at ${place}`);
      for (const more of ['a', '=', '.', '_', ',x', token, `.${token}`]) {
        await assertRefused(asked, token + more, `with ${more.slice(0, 9)} behind it`);
        await assertRefused(asked, more + token, `with ${more.slice(0, 9)} before it`);
      }
    });

    it('in other letter case is refused', async ({ asked, issue }) => {
      const token = await issue({ tenant: 'acme', scopes: ['functions:read'] });
      await assertRefused(asked, token.toUpperCase(), 'upper case');
      await assertRefused(asked, token.toLowerCase(), 'lower case');
      await assertRefused(asked, Array.from(token).reverse().join(''), 'reversed');
    });

    it('made of two valid ones is refused', async ({ asked, issue }) => {
      const one = await issue({ tenant: 'acme', scopes: ['functions:read'] });
      const two = await issue({ tenant: 'other', scopes: ['*'] });
      for (const place of places(one)) {
        const mixed = one.slice(0, place) + two.slice(place);
        if (mixed !== one && mixed !== two) await assertRefused(asked, mixed, `mixed at ${place}`);
      }
    });

    it('without any content is refused', async ({ asked }) => {
      const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
      const odd = [
        'null',
        'undefined',
        '__proto__',
        'constructor',
        '*',
        '%00',
        "' OR 1=1 --",
        '{"$ne":""}',
        'a.b.c',
        '..',
      ];
      const long = ['a', '.', 'pbk_', '0'].map((text) => text.repeat(8_192).slice(0, 8_192));
      for (const token of [...visible, visible.join(''), ...odd, ...long]) {
        await assertRefused(asked, token, token.slice(0, 20));
      }
    });
  });
}
