import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import type { FormValues } from '../../parts/form.tsx';
import { TextField } from '../../parts/form.tsx';
import { bodyOf, type ChatOptions } from './chat-options.tsx';

const textInput = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const textOutput = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/** Creates a function from the system prompt, the model and the schema: the message becomes its input. */
export function SaveAsFunction({ options, model }: { readonly options: ChatOptions; readonly model: string }) {
  const { api, router } = useConsole();
  const save = async ({ name = '' }: FormValues): Promise<void> => {
    const { responseSchema, temperature } = bodyOf(options);
    const { id } = await api.call('createFunction', {
      body: {
        name,
        input: textInput,
        output: responseSchema ?? textOutput,
        settings: {
          prompt: '{{input.text}}',
          ...(options.system !== '' && { system: options.system }),
          ...(model !== '' && { model }),
          ...(temperature !== undefined && { temperature }),
        },
      },
    });
    router.go(linkTo(['functions', id]));
  };
  return (
    <ActionButton title="Save as function" done="The function is saved." run={save}>
      <p>The system prompt, the first model and the schema become a function, whose input is the message.</p>
      <TextField name="name" label="Name" required />
    </ActionButton>
  );
}
