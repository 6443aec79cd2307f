import { snippets } from './snippets.generated.ts';

/** The URLs of the server that clients are configured with. */
export interface Addresses {
  /** Of the gateway, without `/v1`. */
  readonly gateway: string;
  readonly mcp: string;
  readonly functions: string;
}

/** A client, and what connects it. */
export interface ConnectedClient {
  readonly name: string;
  readonly title: string;
  readonly install?: string;
  readonly code: string;
  readonly test: 'model' | 'tools';
}

const titles = {
  openai: 'OpenAI SDK',
  anthropic: 'Anthropic SDK',
  'ai-sdk': 'AI SDK',
  langchain: 'LangChain',
  'claude-code': 'Claude Code',
  codex: 'Codex',
} as const satisfies Readonly<Record<keyof typeof snippets, string>>;

/** Every client that the server knows how to connect. */
export function clientsOf({ gateway, mcp, functions }: Addresses): readonly ConnectedClient[] {
  const ofVendors = Object.entries(titles).map(([name, title]): ConnectedClient => {
    const { install, code } = snippets[name as keyof typeof snippets];
    return { name, title, install, code: code.replaceAll('SERVER_URL', gateway), test: 'model' };
  });
  return [
    ...ofVendors,
    { name: 'mcp', title: 'Agents (MCP)', code: agent(mcp), test: 'tools' },
    {
      name: 'client',
      title: 'Functions',
      install: 'npm install @patchbay/client',
      code: named(functions),
      test: 'tools',
    },
    { name: 'curl', title: 'curl', code: curl(gateway), test: 'model' },
  ];
}

const agent = (url: string): string => `# Claude Code
claude mcp add --transport http patchbay ${url} --header "Authorization: Bearer $PATCHBAY_API_KEY"

# Codex, in ~/.codex/config.toml
[mcp_servers.patchbay]
url = "${url}"
bearer_token_env_var = "PATCHBAY_API_KEY"`;

const named = (url: string): string => `import { createClient } from '@patchbay/client';

const { ai } = createClient({ baseUrl: '${url}', apiKey: process.env.PATCHBAY_API_KEY });
// Any name, any input: a stored function of this name, or a model, answers.
console.log(await ai.summarize({ text: 'A patch bay has sockets, and cables between them.' }));`;

const curl = (url: string): string => `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer $PATCHBAY_API_KEY" -H "Content-Type: application/json" \\
  -d '{ "model": "auto", "messages": [{ "role": "user", "content": "What is a patch bay?" }] }'`;
