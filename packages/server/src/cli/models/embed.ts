import type { Action } from '../cli-context.ts';
import { counted } from '../counted.ts';
import { exitCodes } from '../exit-codes.ts';
import { readText } from '../input.ts';
import { clientOf, type RemoteOptions } from '../remote.ts';

export const embed: (given: string) => Action<RemoteOptions & { readonly model?: string }> =
  (given) => async (context, options) => {
    const text = await readText(given, context);
    const body = { text, ...(options.model && { model: options.model }) };
    const answer = await clientOf(options, context).embeddings(body, { signal: context.signal });
    const { model, embedding, tokens } = answer;
    context.output.result(JSON.stringify(options.json ? answer : embedding));
    context.output.note(`${model}: ${counted(embedding.length, 'dimension')}, ${counted(tokens, 'token')}`);
    return exitCodes.ok;
  };
