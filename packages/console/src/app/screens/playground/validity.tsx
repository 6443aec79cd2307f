import type { Schema } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Answer } from './answer.ts';
import { partialJson } from './partial-json.ts';
import { isCheckable, misfitOf } from './schema-fit.ts';

interface Verdict {
  readonly kind: 'good' | 'bad' | 'plain';
  readonly words: string;
  readonly detail?: string;
}

/** Whether an answer fits its schema, or does so far. */
export function Validity({ answer, schema }: { readonly answer: Answer; readonly schema: Schema }) {
  const { kind, words, detail } = verdictOf(answer, schema);
  return (
    <span class="validity">
      <Badge kind={kind}>{words}</Badge> {detail}
    </span>
  );
}

function verdictOf({ text, status, isValidated = false }: Answer, schema: Schema): Verdict {
  if (isValidated) return { kind: 'good', words: 'fits the schema' };
  const isWhole = status === 'done';
  try {
    const value: unknown = isWhole ? JSON.parse(text) : partialJson(text);
    if (value === undefined) return { kind: 'plain', words: 'JSON so far' };
    const detail = misfitOf(schema, value, isWhole);
    if (detail !== undefined) return { kind: 'bad', words: 'does not fit the schema', detail };
    const fits = isCheckable(schema) ? 'fits the schema' : 'JSON';
    return isWhole ? { kind: 'good', words: fits } : { kind: 'plain', words: `${fits} so far` };
  } catch {
    return { kind: 'bad', words: 'not JSON' };
  }
}
