import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importLitellm } from './import-litellm.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-litellm-'));
afterAll(() => rmSync(folder, { recursive: true }));

const deployment = (more = '') => `
  - model_name: chat
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY${more} }`;

async function timeoutsOf(text: string) {
  writeFileSync(join(folder, 'config.yaml'), text);
  const { config, findings } = await importLitellm('config.yaml', folder);
  const [mount] = Object.values(config.providers ?? {});
  const lines = findings.filter(({ name }) => name.endsWith('timeout'));
  return {
    timeouts: Reflect.get(Object(mount?.with), 'timeouts') as unknown,
    lines: lines.map(({ outcome, name, place, detail }) => [outcome, `${place} ${name}`, detail]),
  };
}

const changed = expect.stringMatching(/^timeouts\.firstByteMs and timeouts\.idleMs of .*: 20000 ms until .*totalMs/);

describe('a timeout of LiteLLM', () => {
  it.each([
    ['of a deployment', `model_list:${deployment(', timeout: 20')}\n`, '3:79 model_list[0].litellm_params.timeout'],
    [
      'of litellm_settings',
      `model_list:${deployment()}\nlitellm_settings: { request_timeout: 20 }\n`,
      '4:38 litellm_settings.request_timeout',
    ],
    [
      'of router_settings',
      `model_list:${deployment()}\nrouter_settings: { timeout: 20 }\n`,
      '4:29 router_settings.timeout',
    ],
  ])('%s is changed, and its line says to what', async (_, text, name) => {
    expect(await timeoutsOf(text)).toEqual({
      timeouts: { firstByteMs: 20_000, idleMs: 20_000 },
      lines: [['changed', `config.yaml:${name}`, changed]],
    });
  });

  it.each([
    ['0', '0 is no timeout'],
    ['os.environ/TIMEOUT', 'only a number of seconds is converted'],
  ])('%s has a line that says why it is not mapped', async (value, reason) => {
    const settings = `litellm_settings: { request_timeout: ${value} }\nrouter_settings: { timeout: ${value} }\n`;
    const { timeouts, lines } = await timeoutsOf(`model_list:${deployment(`, timeout: ${value}`)}\n${settings}`);
    expect(timeouts).toBeUndefined();
    expect(lines.map(([outcome, , detail]) => [outcome, detail])).toEqual(
      Array.from({ length: 3 }, () => ['not mapped', reason]),
    );
  });

  it('of litellm_settings gives way to that of router_settings, and both to that of every deployment', async () => {
    const settings = 'litellm_settings: { request_timeout: 10 }\nrouter_settings: { timeout: 20 }\n';
    const router = await timeoutsOf(`model_list:${deployment()}\n${settings}`);
    expect(router.timeouts).toEqual({ firstByteMs: 20_000, idleMs: 20_000 });
    expect(router.lines.map(([outcome, , detail]) => [outcome, detail])).toEqual([
      ['not mapped', 'router_settings.timeout goes before it'],
      ['changed', changed],
    ]);
    const own = await timeoutsOf(`model_list:${deployment(', timeout: 20')}\n${settings}`);
    expect(own.timeouts).toEqual({ firstByteMs: 20_000, idleMs: 20_000 });
    expect(own.lines.map(([outcome, , detail]) => [outcome, detail])).toEqual([
      ['changed', changed],
      ['not mapped', 'router_settings.timeout goes before it'],
      ['not mapped', 'every deployment has its own timeout'],
    ]);
  });
});
