import { type ErrorCode, errorCodes } from '@patchbay/core';
import { answeringOperations } from './answering-operations.ts';
import type { ErrorText } from './error-texts.ts';
import { type Example, steady } from './example.ts';
import { thrownByClient } from './thrown-by-client.ts';

const longestLine = 100;

/** The section of one error code. */
export async function errorSection(code: ErrorCode, text: ErrorText, example: Example | undefined): Promise<string> {
  const { fix, operator, members, related, why, seen } = text;
  const { title } = errorCodes[code];
  const operations = seen === undefined ? (answeringOperations(code) ?? beforeOperations) : undefined;
  const parts = [
    `### ${code}`,
    `**${title}.**`,
    factsOf(code, seen),
    wrapped(why),
    '**What to do**',
    list(fix),
    ...(operator ? ['**If you run the server**', list(operator)] : []),
    ...(example ? ['**Example**', exampleOf(example)] : []),
    ...(members ? ['**Members of the response**', membersOf(members)] : []),
    ...(operations ? ['**Endpoints**', operations] : []),
    ...(seen === undefined && example ? ['**In the client library**', await clientOf(code, example)] : []),
    `See also: ${related.map((each) => `[\`${each}\`](#${each})`).join(', ')}.`,
  ];
  return steady(parts.join('\n\n'));
}

const beforeOperations =
  'Any: it is returned before the server knows the endpoint, and so the OpenAPI document does not list it.';

const seenIn = {
  code: 'Thrown to the code of a function, which can catch it. Uncaught, it ends the execution as [`function_failed`](#function_failed), with the code in its message.',
  start:
    'Reported when the server starts or reloads its config, on standard error and in the log. Never sent as a response.',
  compatible:
    'In responses of the endpoints for clients of OpenAI and Anthropic, in the format of their API. Do not retry: the same request fails again until something is changed.',
  log: 'Appears in the log and in executions. Never sent as a response.',
};

function factsOf(code: ErrorCode, seen: ErrorText['seen']): string {
  const { status, retryable } = errorCodes[code];
  const again = retryable
    ? 'Retry later: the same request can succeed.'
    : 'Do not retry: the same request fails again until something is changed.';
  return seen === undefined ? `Status ${status}. ${again}` : seenIn[seen];
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

function membersOf(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');
}

function exampleOf({ asked, sent, answer, retryAfter }: Example): string {
  const question = asked.startsWith('`') || asked.length < longestLine ? asked : wrapped(asked);
  const parts = [sent === undefined ? question.trimEnd() : `${question} with the body`];
  if (sent !== undefined) parts.push(block('json', sent));
  if (typeof answer === 'string') parts.push('ends with', `\`\`\`\n${answer}\n\`\`\``);
  else if (!('requestId' in answer)) parts.push('gives the code', block('json', answer));
  else parts.push(`is answered with${waitOf(retryAfter)}`, block('json', answer));
  return parts.join('\n\n');
}

/** As the formatter has it: lists of texts stand on one line. */
function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(
    /\[\n\s+("[^"]*"(?:,\n\s+"[^"]*")*)\n\s+\]/g,
    (_, entries: string) => {
      return `[${entries.replaceAll(/\n\s+/g, ' ')}]`;
    },
  );
}

/** The seconds until the next month differ in each run, and those until the next minute by one. */
function waitOf(retryAfter: number | undefined): string {
  if (retryAfter === undefined) return '';
  if (retryAfter > 3_600) return ' `Retry-After`, the seconds until then, and';
  return ` \`Retry-After: ${retryAfter > 50 ? 60 : retryAfter}\` and`;
}

function block(language: string, value: unknown): string {
  return `\`\`\`${language}\n${indented(value)}\n\`\`\``;
}

async function clientOf(code: ErrorCode, { answer, retryAfter }: Example): Promise<string> {
  const { name, isRetried } = await thrownByClient(answer as object, retryAfter);
  const retries = isRetried
    ? `It sends the request again by itself, twice unless \`maxRetries\` says otherwise, and throws then.`
    : 'It does not send the request again.';
  const members = name === 'ExecutionError' ? ' `error.execution` is the execution it reports.' : '';
  return wrapped(
    `\`@patchbay/client\` throws an \`${name}\` with \`error.code === '${code}'\` and the whole document in \`error.problem\`.${members} ${retries}`,
  );
}

/** Lines of some 120 characters, as the other pages have them. */
function wrapped(text: string): string {
  const lines: string[] = [''];
  for (const word of text.trim().split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= 120) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}
