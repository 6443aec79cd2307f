// Written by `vitest run scripts/console-api -u` from the snippets of `patchbay connect`.

export const snippets = {
  "openai": {
    "install": "npm install openai",
    "code": "import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: 'SERVER_URL/v1', apiKey: process.env.PATCHBAY_API_KEY });\nconst { choices } = await client.chat.completions.create({\n  model: 'auto',\n  messages: [{ role: 'user', content: 'What is a patch bay?' }],\n});\nconsole.log(choices[0].message.content);"
  },
  "anthropic": {
    "install": "npm install @anthropic-ai/sdk",
    "code": "import Anthropic from '@anthropic-ai/sdk';\n\nconst client = new Anthropic({ baseURL: 'SERVER_URL', apiKey: process.env.PATCHBAY_API_KEY });\nconst { content } = await client.messages.create({\n  model: 'auto',\n  max_tokens: 500,\n  messages: [{ role: 'user', content: 'What is a patch bay?' }],\n});\nconsole.log(content.find(({ type }) => type === 'text').text);"
  },
  "ai-sdk": {
    "install": "npm install ai @ai-sdk/openai-compatible",
    "code": "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';\nimport { generateText } from 'ai';\n\nconst patchbay = createOpenAICompatible({\n  name: 'patchbay',\n  baseURL: 'SERVER_URL/v1',\n  apiKey: process.env.PATCHBAY_API_KEY,\n  includeUsage: true,\n  supportsStructuredOutputs: true,\n});\nconst answer = await generateText({ model: patchbay('auto'), prompt: 'What is a patch bay?' });\nconsole.log(answer.text);"
  },
  "langchain": {
    "install": "npm install @langchain/openai @langchain/core",
    "code": "import { ChatOpenAI } from '@langchain/openai';\n\nconst chat = new ChatOpenAI({\n  configuration: { baseURL: 'SERVER_URL/v1' },\n  apiKey: process.env.PATCHBAY_API_KEY,\n  model: 'auto',\n});\nconst answer = await chat.invoke('What is a patch bay?');\nconsole.log(answer.text);"
  },
  "claude-code": {
    "install": "npm install -g @anthropic-ai/claude-code",
    "code": "export ANTHROPIC_BASE_URL=SERVER_URL\nexport ANTHROPIC_AUTH_TOKEN=$PATCHBAY_API_KEY\nclaude"
  },
  "codex": {
    "install": "npm install -g @openai/codex",
    "code": "# ~/.codex/config.toml\nmodel = \"auto\"\nmodel_provider = \"patchbay\"\nweb_search = \"disabled\"\n\n[model_providers.patchbay]\nname = \"Patchbay\"\nbase_url = \"SERVER_URL/v1\"\nenv_key = \"PATCHBAY_API_KEY\"\nwire_api = \"responses\""
  }
} as const;
