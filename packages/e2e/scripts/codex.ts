/**
 * Install Codex from npm, and let it answer a prompt and use a tool with models of three vendors, which are played:
 *
 *     node --conditions=source packages/e2e/scripts/codex.ts [folder that it is or was installed into]
 */
import { type Upstream, upstreamReplies } from '@patchbay/testing';
import { scriptShout, startTerminalClient, word } from './terminal-client.ts';

const text = 'Hello from the upstream.';
const client = await startTerminalClient({
  package: '@openai/codex@0.169.0',
  command: 'codex',
  guide: 'codex',
  heading: 'Codex',
});
const { anthropic, openai, google, expectOutput } = client;

// Its own jail needs privileges that this one may not have.
const ask = (prompt: string, ...args: readonly string[]): Promise<string> =>
  client.ask({
    script: 'codex exec --skip-git-repo-check --sandbox danger-full-access "$@"',
    args: [...args, prompt],
    files: { '.codex/config.toml': `${client.typed}\n\n${client.typedForTools}` },
  });

/** Has the file printed until its content is shown to the model. */
function printNote(upstream: Upstream): void {
  upstream.script((exchange) => {
    const isShown = exchange.request.body.includes(word);
    const printing = { toolCalls: [{ name: 'exec_command', arguments: { cmd: 'cat note.txt' } }] };
    return upstreamReplies.healthy(isShown ? { text: `It says ${word}.` } : printing)(exchange);
  });
}

for (const [model, upstream] of [
  ['openai/gpt-4.1', openai],
  ['anthropic/claude-opus-4-6', anthropic],
  ['google/gemini-3.1-flash-lite', google],
] as const) {
  const choice = ['--model', model];
  upstream.script(upstreamReplies.healthy({ text }));
  expectOutput(`${model}, a prompt`, await ask('Say hello.', ...choice), text);
  printNote(upstream);
  const output = await ask('Which word is in note.txt?', ...choice);
  expectOutput(`${model}, a tool`, output, `It says ${word}.`);
}
// For models that it knows, it has tools that only they have.
openai.script(upstreamReplies.healthy({ text }));
expectOutput('openai/gpt-6-luna, a prompt', await ask('Say hello.', '--model', 'openai/gpt-6-luna'), text);
for (const upstream of [anthropic, google]) upstream.script(upstreamReplies.healthy({ text }));
expectOutput('the choice of the server, a prompt', await ask('Say hello.'), text);
// A function is a tool of it, by the configuration of the guide.
scriptShout(anthropic);
const shouted = await ask('Shout the word.', '--model', 'anthropic/claude-opus-4-6');
expectOutput('a function as a tool', shouted, `It is ${word.toUpperCase()}.`);
console.log(`        it wanted to reach ${client.hosts().join(' ') || 'no other host'}`);
await client.end();
