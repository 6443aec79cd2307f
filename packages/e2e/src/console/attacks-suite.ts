import type { Target } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { startLocalServer } from './local-server.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Pages and links of an attacker, opened by a person who is signed in. */
export function attacksSuite(used: ConsoleInUse): void {
  const { server } = used;
  const keysOf = async (): Promise<number> =>
    ((await server.ask('GET', '/keys?limit=1')).body['meta'] as { readonly total: number }).total;
  /** A server that is another origin of the same site, whose pages browsers send the cookie for, and of another site. */
  const attack = async (html: string) => {
    const target = server.process.url;
    const local = await startLocalServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(html.replaceAll('TARGET', target));
    });
    return { local, origins: [local.url, local.url.replace('127.0.0.1', 'localhost')] };
  };

  it('cannot read the session: no script reaches the cookie, and nothing else has it', async () => {
    const { page } = await used.signedIn();
    const [cookie] = await page.browserContext().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const secret = cookie?.value ?? '';
    expect(secret).toMatch(/^pbs_/);
    const readable = await page.evaluate(
      `(async () => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML,
        await (await fetch('/console/session', { headers: { 'Patchbay-Console': '1' } })).text()]))()`,
    );
    expect(readable).toContain('api-key');
    expect(readable).not.toContain(secret);
    const stolen = await server.ask('GET', '/functions', undefined, { authorization: `Bearer ${secret}` });
    expect(stolen.status).toBe(401);
  });

  it('cannot send requests with the session from another origin', async () => {
    const body = '{"name":"stolen","scopes":["*"]}';
    const requests = [
      `fetch('TARGET/keys', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '${body}' })`,
      `fetch('TARGET/keys', { method: 'POST', credentials: 'include', body: '${body}',
        headers: { 'Content-Type': 'application/json', 'Patchbay-Console': '1' } })`,
      `fetch('TARGET/keys', { credentials: 'include', headers: { 'Patchbay-Console': '1' } })`,
      `fetch('TARGET/console/session', { method: 'DELETE', credentials: 'include', mode: 'no-cors' })`,
    ];
    const { local, origins } = await attack(`<form method=post action=TARGET/keys enctype=text/plain>
      <input name='{"name":"stolen","scopes":["*"],"x":"' value='"}'></form>
      <form method=post action=TARGET/console/session></form><img src=TARGET/keys>`);
    await using _ = local;
    const { page } = await used.signedIn();
    const before = await keysOf();
    for (const origin of origins) {
      const tab = await page.browserContext().newPage();
      await tab.goto(origin);
      const answers = await tab.evaluate(
        `Promise.all([${requests.join(',')}].map((request) => request.then(
        ({ type }) => type, () => 'refused')))`.replaceAll('TARGET', server.process.url),
      );
      expect(answers).toEqual(['opaque', 'refused', 'refused', 'refused']);
      for (const form of [0, 1]) {
        await tab.goto(origin);
        await Promise.all([tab.waitForNavigation(), tab.evaluate(`document.forms[${form}].submit()`)]);
        expect(await tab.evaluate('document.body.innerText')).toMatch(
          /unauthenticated|cross_site_request|method_not_allowed/,
        );
      }
      await tab.close();
    }
    expect(await keysOf()).toBe(before);
    await page.reload();
    await page.waitForSelector('.desk');
  });

  it('cannot frame the console, nor reach into its window', async () => {
    const { local } = await attack(
      '<iframe src=TARGET/console></iframe><iframe src=TARGET/docs></iframe><button onclick="opened = window.open(\'TARGET/console\')">open</button>',
    );
    await using _ = local;
    const { page } = await used.signedIn();
    const tab = await page.browserContext().newPage();
    await tab.goto(local.url);
    const framed = tab.frames().filter((frame) => frame.url().startsWith(server.process.url));
    const contents = await Promise.all(framed.map((frame) => frame.evaluate('document.body.innerText')));
    expect(contents.join('')).not.toContain('Patchbay');
    const known = new Set(page.browserContext().targets());
    await tab.click('button');
    const isOpened = (target: Target): boolean => target.type() === 'page' && !known.has(target);
    const opened = await (await page.browserContext().waitForTarget(isOpened)).page();
    await opened?.waitForSelector('.desk, .sign-in');
    expect(await opened?.evaluate('globalThis.opener')).toBeNull();
    expect(await tab.evaluate('opened.closed')).toBe(true);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/%2f%2fevil.example',
    '/?next=https://evil.example',
    '/.//evil.example/',
  ])('cannot redirect to another server by the path %s', async (path) => {
    const headers = { accept: 'text/html', 'x-forwarded-host': 'evil.example', 'x-forwarded-prefix': '//evil.example' };
    const response = await fetch(server.process.url + path, { headers, redirect: 'manual' });
    const place = new URL(response.headers.get('location') ?? '/', server.process.url);
    expect(place.origin).toBe(server.process.url);
  });

  it('cannot lead away by a fragment', async () => {
    const opened = await used.signedIn();
    for (const fragment of [
      '//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      'sign-in=//evil.example',
    ]) {
      await opened.page.goto('about:blank');
      await opened.page.goto(`${server.process.url}/console#${fragment}`);
      await opened.page.waitForSelector('.desk');
      expect(new URL(opened.page.url()).origin).toBe(server.process.url);
    }
    // A token that does not exist is refused, and the session stays.
    expect(opened.faults().filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('cannot choose the session of another person beforehand', async () => {
    const mallory = await used.signedIn(await keyOf('Mallory'));
    const [planted] = await mallory.page.browserContext().cookies();
    const victim = await used.signedOut();
    if (planted) await victim.page.browserContext().setCookie(planted);
    await victim.open('#/session', '.desk');
    await victim.press('Sign out');
    await victim.page.waitForSelector('.sign-in input');
    // A cookie that came in between, by which the browser would be signed in as another.
    if (planted) await victim.page.browserContext().setCookie({ ...planted, value: `pbs_${'A'.repeat(43)}` });
    await victim.page.type('.sign-in input', await keyOf('Victim'));
    await victim.page.click('.sign-in button');
    await victim.page.waitForSelector('.desk');
    const [own] = await victim.page.browserContext().cookies();
    expect(own?.value).toMatch(/^pbs_(?!A{43})/);
    expect(own?.value).not.toBe(planted?.value);
  });

  const keyOf = async (name: string): Promise<string> =>
    String((await server.ask('POST', '/keys', { name, scopes: ['models:read'] })).body['key']);
}
