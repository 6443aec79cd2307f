import { type ErrorCode, errorCodes } from '@patchbay/core';
import { tableOf } from '../marked-part.ts';
import type { ErrorText, ErrorTexts } from './error-texts.ts';

/** The tables of docs/reference/errors.md: one for each group, each code linked to its page. */
export function errorTables(texts: ErrorTexts): string {
  return Object.entries(texts)
    .map(([group, codes]) => {
      const rows = Object.entries(codes) as [ErrorCode, ErrorText][];
      const cells = rows.map(([code, { happened, todo }]) => {
        const { status, retryable } = errorCodes[code];
        return [`[\`${code}\`](errors/${code}.md)`, String(status), retryable ? 'yes' : 'no', happened, todo];
      });
      return `## ${group}\n\n${tableOf(['Code', 'Status', 'Retry', 'What happened', 'What to do'], cells)}`;
    })
    .join('\n\n');
}
