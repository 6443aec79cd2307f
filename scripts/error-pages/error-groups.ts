import { type ErrorCode, errorCodes } from '@patchbay/core';
import { tableOf } from '../marked-part.ts';
import { errorSection } from './error-section.ts';
import type { ErrorText, ErrorTexts } from './error-texts.ts';
import type { Example } from './example.ts';

/** The groups of docs/reference/errors.md: each a table of its codes, followed by a section for each code. */
export async function errorGroups(texts: ErrorTexts, examples: ReadonlyMap<ErrorCode, Example>): Promise<string> {
  const groups = Object.entries(texts).map(async ([group, codes]) => {
    const entries = Object.entries(codes) as [ErrorCode, ErrorText][];
    const rows = entries.map(([code, { happened, todo }]) => {
      const { status, retryable } = errorCodes[code];
      return [`[\`${code}\`](#${code})`, String(status), retryable ? 'yes' : 'no', happened, todo];
    });
    const table = tableOf(['Code', 'Status', 'Retry', 'What happened', 'What to do'], rows);
    const sections = entries.map(([code, text]) => errorSection(code, text, examples.get(code)));
    return [`## ${group}`, table, ...(await Promise.all(sections))].join('\n\n');
  });
  return (await Promise.all(groups)).join('\n\n');
}
