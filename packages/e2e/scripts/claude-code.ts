/**
 * Install Claude Code from npm, and let it answer a prompt and use a tool with models of three vendors, which are played:
 *
 *     node --conditions=source packages/e2e/scripts/claude-code.ts [folder that it is or was installed into]
 */
import { type Upstream, upstreamReplies } from '@patchbay/testing';
import { scriptShout, startTerminalClient, word } from './terminal-client.ts';

const text = 'Hello from the upstream.';
const client = await startTerminalClient({
  package: '@anthropic-ai/claude-code@2.1.330',
  command: 'claude',
  guide: 'claude-code',
  heading: 'Claude Code',
});
const { anthropic, openai, google, expectOutput } = client;

const env = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

const ask = (prompt: string, ...args: readonly string[]): Promise<string> =>
  client.ask({
    script: `${client.typed} "$@"`,
    args: ['-p', prompt, ...args],
    env,
  });

/** Has the file read until its content is shown to the model. */
function readNote(upstream: Upstream): void {
  upstream.script((exchange) => {
    const { body } = exchange.request;
    const [path] = /\/[^"\\ ]*patchbay-home-[^"\\ /]*\/work/.exec(body) ?? [];
    const reading = { toolCalls: [{ name: 'Read', arguments: { file_path: `${path}/note.txt` } }] };
    return upstreamReplies.healthy(body.includes(word) ? { text: `It says ${word}.` } : reading)(exchange);
  });
}

for (const [model, upstream] of [
  ['anthropic/claude-opus-4-6', anthropic],
  ['openai/gpt-6-luna', openai],
  ['google/gemini-3.1-flash-lite', google],
] as const) {
  const choice = ['--model', model];
  upstream.script(upstreamReplies.healthy({ text }));
  expectOutput(`${model}, a prompt`, await ask('Say hello.', ...choice), text);
  readNote(upstream);
  const output = await ask('Which word is in note.txt?', '--allowedTools', 'Read', ...choice);
  expectOutput(`${model}, a tool`, output, `It says ${word}.`);
}
// The model that it asks for itself, by the name that it has at Anthropic.
anthropic.script(upstreamReplies.healthy({ text }));
expectOutput('its own default, a prompt', await ask('Say hello.'), text);
// A function is a tool of it, by the configuration of the guide.
scriptShout(anthropic);
const shouted = await client.ask({
  script: `${client.typedForTools} >&2 && ${client.typed} "$@"`,
  args: ['-p', 'Shout the word.', '--allowedTools', 'mcp__patchbay__shout'],
  env,
});
expectOutput('a function as a tool', shouted, `It is ${word.toUpperCase()}.`);
expectOutput('connections to other hosts', client.hosts().join(' ') || 'none', 'none');
await client.end();
