import type { RequestOf } from '../../api/api-client.ts';

type ChatBody = NonNullable<RequestOf<'chat'>['body']>;

/** What is sent with every message, as it is being written. */
export interface ChatOptions {
  readonly system: string;
  /** JSON: declarations of tools, or names of tools of mounted servers. */
  readonly tools: string;
  /** JSON schema of the answer. */
  readonly schema: string;
  readonly temperature: string;
}

export const noOptions: ChatOptions = { system: '', tools: '', schema: '', temperature: '' };

/** @throws Error with the name of the field that is not JSON. */
export function bodyOf({ tools, schema, temperature }: ChatOptions): Omit<ChatBody, 'messages'> {
  const declared = json(tools, 'Tools') as ChatBody['tools'];
  const isNamed = (declared ?? []).some((tool) => typeof tool === 'string');
  const responseSchema = json(schema, 'Schema of the answer') as ChatBody['responseSchema'];
  return {
    ...(declared && { tools: declared }),
    ...(isNamed && { toolLoop: {} }),
    ...(responseSchema && { responseSchema }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
  };
}

function json(text: string, what: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what}: this is not valid JSON`);
  }
}

function isJson(text: string): boolean {
  try {
    json(text, '');
    return true;
  } catch {
    return false;
  }
}

interface FieldsProps {
  readonly options: ChatOptions;
  readonly onOptions: (options: ChatOptions) => void;
}

/** The system prompt and, one click away, what is needed less often. */
export function ChatOptionFields({ options, onOptions }: FieldsProps) {
  const field = (name: keyof ChatOptions, label: string, hint: string, rows: number) => {
    const isFaulty = name !== 'system' && !isJson(options[name]);
    return (
      <label class="field">
        <span>{label}</span>
        <textarea
          rows={rows}
          value={options[name]}
          placeholder={hint}
          aria-invalid={isFaulty}
          onInput={(event) => onOptions({ ...options, [name]: event.currentTarget.value })}
        />
        {isFaulty && <span class="fault">This is not valid JSON.</span>}
      </label>
    );
  };
  return (
    <details class="chat-options">
      <summary>System prompt, tools, schema</summary>
      {field('system', 'System prompt', 'You are …', 2)}
      {field('tools', 'Tools', '["docs.search"] or [{"name": "weather", "parameters": {"type": "object"}}]', 3)}
      {field('schema', 'Schema of the answer', '{"type": "object", "properties": {}}', 3)}
      <label class="field">
        <span>Temperature</span>
        <input
          type="number"
          step="any"
          value={options.temperature}
          onInput={(event) => onOptions({ ...options, temperature: event.currentTarget.value })}
        />
      </label>
    </details>
  );
}
