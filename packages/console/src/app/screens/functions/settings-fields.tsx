import type { FunctionSettings } from '../../api/operations.generated.ts';
import type { FormValues } from '../../parts/form.tsx';
import { TextArea, TextField } from '../../parts/form.tsx';

const texts = ['model', 'system', 'prompt'] as const;
const numbers = ['temperature', 'maxTokens', 'repairs', 'cacheSeconds'] as const;
/** Not settings, though they are sent with them. */
const about = new Set(['functionId', 'version', 'label', 'updatedAt', 'updatedBy']);

/** Fields for the most common settings; everything else is one JSON object. */
export function SettingsFields({ settings }: { readonly settings: FunctionSettings }) {
  const named = new Set<string>([...texts, ...numbers]);
  const rest = Object.entries(settings).filter(([name]) => !named.has(name) && !about.has(name));
  const text = (name: (typeof texts)[number] | (typeof numbers)[number]) => String(settings[name] ?? '');
  return (
    <>
      <TextField name="model" label="Model" value={text('model')} hint="Empty: the gateway chooses." />
      <TextArea name="system" label="System prompt" value={text('system')} />
      <TextArea
        name="prompt"
        label="Prompt"
        value={text('prompt')}
        hint="{{input.text}} is a member of the input. Empty: the input as JSON."
      />
      <TextField name="temperature" label="Temperature" type="number" value={text('temperature')} />
      <TextField name="maxTokens" label="Most tokens of an answer" type="number" value={text('maxTokens')} />
      <TextField name="repairs" label="Repairs of an invalid answer" type="number" value={text('repairs')} />
      <TextField name="cacheSeconds" label="Seconds to cache an answer" type="number" value={text('cacheSeconds')} />
      <TextArea
        name="more"
        label="More settings as JSON"
        rows={6}
        value={rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest), null, 2)}
        hint="Such as routing, examples, metrics and mcp."
      />
    </>
  );
}

/** @throws Error if what is written as JSON is invalid. */
export function formOf(values: FormValues): object {
  const given = (name: string): boolean => (values[name] ?? '').trim() !== '';
  return {
    ...(given('more') && parse(values['more'] ?? '')),
    ...Object.fromEntries(texts.filter(given).map((name) => [name, values[name]])),
    ...Object.fromEntries(numbers.filter(given).map((name) => [name, Number(values[name])])),
  };
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new Error('the further settings are not valid JSON');
  }
}
