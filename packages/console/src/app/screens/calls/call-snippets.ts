import type { CallRecord } from '../../api/operations.generated.ts';

/** Code that makes a call again. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** The call that was made, as far as it is known. */
export interface Asked extends Pick<CallRecord, 'functionId' | 'name' | 'model'> {
  readonly input?: object | undefined;
}

const key = 'PATCHBAY_API_KEY';

/**
 * The same call with curl, the client of Patchbay, and that of OpenAI. Placeholders stand for content that is not recorded.
 *
 * @param base Where the server is, such as `https://patchbay.example`.
 */
export function callSnippets(asked: Asked, base: string): readonly Snippet[] {
  const { name, model, input = {} } = asked;
  const messages = [{ role: 'user', content: '…' }];
  const isFunction = name !== null;
  const path = isFunction ? `/call/${encodeURIComponent(name)}` : '/chat';
  const body = isFunction ? { input } : { model: model ?? 'auto', messages };
  const chat = isFunction
    ? { model: `fn/${name}`, messages: [{ role: 'user', content: JSON.stringify(input) }] }
    : { model: model ?? 'auto', messages };
  const call = isFunction ? `client.ai[${JSON.stringify(name)}](${pretty(input)})` : `client.chat(${pretty(body)})`;
  return [
    {
      title: 'curl',
      text:
        `curl ${base}${path} -H "Authorization: Bearer $${key}" \\\n` +
        `  -H 'Content-Type: application/json' \\\n  -d ${shellQuoted(JSON.stringify(body))}\n`,
    },
    {
      title: 'TypeScript',
      text:
        "import { createClient } from '@patchbay/client';\n\n" +
        `const client = createClient({ baseUrl: '${base}', apiKey: process.env.${key} });\n` +
        `console.log(await ${call});\n`,
    },
    {
      title: 'OpenAI client',
      text:
        "import OpenAI from 'openai';\n\n" +
        `const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.${key} });\n` +
        `const { choices } = await client.chat.completions.create(${pretty(chat)});\n` +
        'console.log(choices[0].message.content);\n',
    },
  ];
}

function pretty(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
