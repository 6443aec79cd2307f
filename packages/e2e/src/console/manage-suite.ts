import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { axeFindings } from './axe-findings.ts';
import type { ConsolePage } from './console-page.ts';
import { keepScreenshot, wide } from './keep-screenshot.ts';
import { startLocalServer } from './local-server.ts';
import type { ConsoleInUse } from './use-console.ts';

/** Tests of keys, webhooks, the audit log, budgets and sessions. */
export function manageSuite(used: ConsoleInUse): void {
  let opened: ConsolePage;
  beforeAll(async () => {
    opened = await used.signedIn();
  });

  /** Create a key in the form. The secret that is shown. */
  const createKey = async (name: string, ...scopes: readonly string[]): Promise<string> => {
    const { page } = opened;
    await opened.open('#/keys/new', '.check-list');
    await page.type('input[name=name]', name);
    for (const scope of scopes) await page.click(`input[value="${scope}"]`);
    await page.type('input[name="budget/usd"]', '2.5');
    await opened.press('Create the key');
    return await opened.textOf('.secret pre');
  };

  it('creates a key whose secret is shown once, and which ends the session of its holder when it is revoked', async () => {
    const secret = await createKey('Release train', 'functions:read', 'models:read');
    const { page } = opened;
    expect(secret).toMatch(/^pbk_live_/);
    const holder = await used.signedIn(secret);
    await holder.open('#/session', '.facts dd');
    expect(await holder.textOf('.facts')).toContain('functions:read, models:read');
    await opened.open('#/keys', '.list-rows a');
    await page.locator('::-p-text(Release train)').click();
    expect(await opened.textOf('.facts')).toContain('$2.5 per month');
    expect(await page.content()).not.toContain(secret);
    await opened.press('Rotate');
    await page.select('dialog[open] select', '0');
    await page.click('dialog[open] button.primary');
    expect(await opened.textOf('.secret pre')).not.toBe(secret);
    await untilSignedOut(holder);
    const again = await used.signedIn(await opened.textOf('.secret pre'));
    await opened.press('Revoke');
    await page.click('dialog[open] button.primary');
    await page.waitForSelector('.facts .badge.bad');
    await untilSignedOut(again);
    expect(await again.textOf('.sign-in [role=status]')).toContain('its key was revoked');
    expect(opened.faults()).toEqual([]);
  });

  it('signs out a person who revokes the key of the own session', async () => {
    const { body } = await used.server.ask('POST', '/keys', { name: 'Of this browser', scopes: ['*'] });
    const holder = await used.signedIn(String(body['key']));
    await holder.open(`#/keys/${String(body['id'])}`, '.facts .badge.good');
    await holder.press('Revoke');
    expect(await holder.textOf('dialog[open]')).toContain('you are signed out');
    await holder.page.click('dialog[open] button.primary');
    expect(await holder.textOf('.sign-in [role=status]')).toContain('its key was revoked');
    expect(holder.faults()).toEqual([]);
  });

  it('says beside the field why a key cannot be created', async () => {
    const { page } = opened;
    await opened.open('#/keys/new', '.check-list');
    await page.type('input[name=name]', 'No scope');
    await page.type('textarea[name=ipAddresses]', 'everywhere');
    await opened.press('Create the key');
    await page.waitForSelector('.error');
    expect(await opened.textOf('.field:has([name=scopes]) .fault')).not.toBe('');
    expect(await opened.awaitFaults()).toEqual([expect.stringContaining('400')]);
  });

  it('creates a webhook, sends a test event, and sends it again', async () => {
    let requests = 0;
    await using receiver = await startLocalServer((_request, response) => {
      requests += 1;
      response.writeHead(requests === 1 ? 500 : 200).end(`answer ${requests}`);
    });
    const { page } = opened;
    await opened.open('#/webhooks/new', '.check-list');
    await page.type('input[name=url]', `${receiver.url}/events`);
    await page.click('input[value="webhook.test"]');
    await opened.press('Create the webhook');
    expect(await opened.textOf('.secret pre')).toMatch(/^whsec_/);
    await page.locator('::-p-text(Send a test event)').click();
    await opened.press('Send a test event');
    await page.locator('.list-rows a').click();
    await untilReloaded('.page section');
    expect(await opened.textOf('.page section')).toContain('answer 1');
    // The server may have sent it again by itself meanwhile.
    await opened.press('Send again');
    await untilReloaded('.facts .badge.good');
    expect(await opened.textOf('.page section:last-of-type')).toMatch(/answer [23]/);
    expect(opened.faults()).toEqual([]);
  });

  it('shows that a receiver is gone, and sends again what is enabled again', async () => {
    let status = 410;
    await using receiver = await startLocalServer((_request, response) => {
      response.writeHead(status).end();
    });
    const events = { url: `${receiver.url}/gone`, events: ['webhook.test'] };
    const { body } = await used.server.ask('POST', '/webhooks', events);
    await opened.open(`#/webhooks/${String(body['id'])}`, '.facts .badge.good');
    await opened.press('Send a test event');
    await untilReloaded('.facts .badge.bad');
    expect(await opened.textOf('.facts')).toContain('the receiver is gone');
    expect(await opened.textOf('.list-rows')).toMatch(/webhook\.test.*failed.*410/);
    status = 200;
    await opened.press('Enable');
    await opened.page.waitForSelector('.facts .badge.good');
    await opened.page.locator('.list-rows a').click();
    await opened.press('Send again');
    await untilReloaded('.facts .badge.good');
    await used.server.ask('DELETE', `/webhooks/${String(body['id'])}`);
    expect(opened.faults()).toEqual([]);
  });

  /** Press `Reload` until the page has an element. */
  const untilReloaded = async (selector: string): Promise<void> => {
    const reload = "document.querySelector('.page-head button').click()";
    await opened.page.waitForFunction(`document.querySelector('${selector}') ?? (${reload}, false)`, { polling: 100 });
  };

  it('shows who changed what, and that the log is as it was written', async () => {
    await createKey('For the audit log', 'usage:read');
    const { page } = opened;
    await opened.open('#/audit?action=key.created', '.verification .good');
    await page.locator('.list-rows a').click();
    expect(await opened.textOf('.code pre')).toContain('For the audit log');
    expect(opened.faults()).toEqual([]);
  });

  it('shows where the log was changed in the database', async () => {
    await createKey('For a changed log', 'usage:read');
    // The server writes at the same time.
    using database = new DatabaseSync(join(used.server.process.data, 'patchbay.db'), { timeout: 10_000 });
    const entry = database.prepare('SELECT actor_id AS actor FROM audit_entries WHERE sequence = 2').get();
    const setActor = database.prepare('UPDATE audit_entries SET actor_id = ? WHERE sequence = 2');
    setActor.run('key_other');
    await opened.page.setViewport(wide);
    await opened.open('#/audit', '.verification .bad');
    expect(await opened.textOf('.verification')).toMatch(/^broken\s?Entry 2: the entry was changed/);
    expect(await opened.page.$('.verification .good')).toBeNull();
    expect(isFullSize ? await axeFindings(opened.page) : []).toEqual([]);
    await keepScreenshot(opened.page, 'audit-log-broken-light-1440');
    setActor.run(String(entry?.['actor']));
    await opened.press('Verify again');
    await opened.page.waitForSelector('.verification .good');
    expect(opened.faults()).toEqual([]);
  });

  it('tells what is left of a budget', async () => {
    await createKey('Small budget', 'gateway:invoke');
    await opened.open('#/usage/budgets', '.budgets li');
    expect(await opened.textOf('.budgets')).toMatch(/Small budget.*\$2\.5 left/);
  });

  it('tries the connection that it shows', async () => {
    await opened.open('#/connect/openai', '.code');
    expect(await opened.textOf('.code:last-of-type pre')).toContain(`baseURL: '${used.server.process.url}/v1'`);
    await opened.press('Send a test request');
    expect(await opened.textOf('.connection-test .facts')).toContain('The invoice was sent twice');
    await opened.open('#/connect/mcp', '.code');
    await opened.press('Send a test request');
    expect(await opened.textOf('.connection-test .facts')).toContain('summarizeText');
    expect(opened.faults()).toEqual([]);
  });

  it('signs out every browser with the same key, and no other', async () => {
    const secret = await createKey('Two browsers', 'models:read');
    const [one, two] = [await used.signedIn(secret), await used.signedIn(secret)];
    await one.open('#/session', '.facts dd');
    await one.press('Sign out everywhere');
    await one.page.click('dialog[open] button.primary');
    await one.page.waitForSelector('.sign-in');
    await untilSignedOut(two);
    await opened.open('#/session', '.facts dd');
    expect(opened.faults()).toEqual([]);
  });
}

/** Go from screen to screen until the server refuses a request: servers may accept a key for a second after its end. */
async function untilSignedOut({ page }: ConsolePage): Promise<void> {
  const step = "location.hash = location.hash === '#/models' ? '#/models/openai/gpt-4.1' : '#/models'";
  await page.waitForFunction(`document.querySelector('.sign-in') ?? (${step}, false)`, { polling: 200 });
}
