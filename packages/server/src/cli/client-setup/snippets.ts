/** A server as a client reaches it, and the model to call. */
export interface Target {
  /** Where the endpoints of the gateway are, without `/v1`. */
  readonly url: string;
  /** Default: the server chooses, or the client if it prefers a model. */
  readonly model: string | undefined;
}

/** The model that the server chooses. */
export const AUTO = 'auto';

interface ConnectedClient {
  /** Installs it. */
  readonly install: string;
  readonly snippet: (target: Target) => string;
}

/** Each with its usual settings and nothing else, so that the changed address stands out. */
export const connectedClients = {
  openai: {
    install: 'npm install openai',
    snippet: ({ url, model = AUTO }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${text(`${url}/v1`)}, apiKey: process.env.PATCHBAY_API_KEY });
const { choices } = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: 'user', content: 'What is a patch bay?' }],
});
console.log(choices[0].message.content);`,
  },
  anthropic: {
    install: 'npm install @anthropic-ai/sdk',
    snippet: ({ url, model = AUTO }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${text(url)}, apiKey: process.env.PATCHBAY_API_KEY });
const { content } = await client.messages.create({
  model: ${text(model)},
  max_tokens: 500,
  messages: [{ role: 'user', content: 'What is a patch bay?' }],
});
console.log(content.find(({ type }) => type === 'text').text);`,
  },
  'ai-sdk': {
    install: 'npm install ai @ai-sdk/openai-compatible',
    snippet: ({ url, model = AUTO }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const patchbay = createOpenAICompatible({
  name: 'patchbay',
  baseURL: ${text(`${url}/v1`)},
  apiKey: process.env.PATCHBAY_API_KEY,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const answer = await generateText({ model: patchbay(${text(model)}), prompt: 'What is a patch bay?' });
console.log(answer.text);`,
  },
  langchain: {
    install: 'npm install @langchain/openai @langchain/core',
    snippet: ({ url, model = AUTO }) => `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  configuration: { baseURL: ${text(`${url}/v1`)} },
  apiKey: process.env.PATCHBAY_API_KEY,
  model: ${text(model)},
});
const answer = await chat.invoke('What is a patch bay?');
console.log(answer.text);`,
  },
  'claude-code': {
    install: 'npm install -g @anthropic-ai/claude-code',
    snippet: ({ url, model }) => `export ANTHROPIC_BASE_URL=${word(url)}
export ANTHROPIC_AUTH_TOKEN=$PATCHBAY_API_KEY
claude${model === undefined ? '' : ` --model ${word(model)}`}`,
  },
  codex: {
    install: 'npm install -g @openai/codex',
    snippet: ({ url, model = AUTO }) => `# ~/.codex/config.toml
model = ${JSON.stringify(model)}
model_provider = "patchbay"
web_search = "disabled"

[model_providers.patchbay]
name = "Patchbay"
base_url = ${JSON.stringify(`${url}/v1`)}
env_key = "PATCHBAY_API_KEY"
wire_api = "responses"`,
  },
} as const satisfies Readonly<Record<string, ConnectedClient>>;

/** As a JavaScript string. */
function text(value: string): string {
  return `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** As a shell word. */
function word(value: string): string {
  return /^[\w./:@+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
