import { checkPublicUrl } from '@patchbay/core';
import { fieldsOf, type JsonFields, type ModelInfo } from '@patchbay/core/provider';
import type { NamedMember } from '../gateway-types.ts';
import { requestError } from '../request/request-error.ts';
import { storedNames } from './stored-names.ts';

type Capability = ModelInfo['capabilities'][number];

/** Facts of the content of a request that policies need. */
export interface Survey {
  readonly capabilities: ReadonlySet<Capability>;
  readonly storedIds: readonly NamedMember[];
  readonly inputTokens: number;
}

/** About what vendors count for a medium-sized image, or a page of a document. */
const TOKENS_PER_ATTACHMENT = 1_000;

/** Kinds of content, by the `type` that it has in the APIs of OpenAI and Anthropic. */
const attachments: Readonly<Record<string, Capability>> = {
  image_url: 'vision',
  input_image: 'vision',
  image: 'vision',
  input_audio: 'audio',
  file: 'files',
  input_file: 'files',
  document: 'files',
};

/** Members whose text is not part of the prompt. */
const encoded: ReadonlySet<string> = new Set(['data', 'file_data', 'result', 'signature', 'encrypted_content']);

/** Members that belong to the caller's tools: what is in them means nothing to the vendor. */
const callersOwn: ReadonlySet<string> = new Set([
  ...(['parameters', 'input_schema', 'output_schema', 'schema'] as const),
  ...(['input', 'arguments', 'metadata'] as const),
]);

/** Members whose text a vendor fetches. */
const urls: ReadonlySet<string> = new Set(['url', 'file_url', 'image_url', 'server_url']);

/**
 * Search the members of a request that contain its content, in the dialects of OpenAI and Anthropic alike. Content that is
 * not known here goes to the vendor, which says what is wrong with it.
 *
 * @throws PatchbayError `invalid_request` for a URL that the vendor must not fetch.
 */
export function surveyOf(body: JsonFields, names: readonly string[]): Survey {
  const capabilities = new Set<Capability>();
  const storedIds: NamedMember[] = [];
  const path: (string | number)[] = [];
  let characters = 0;
  let attached = 0;
  const pointer = () => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

  const visitText = (name: string | number, text: string, isOwn: boolean): void => {
    if (!encoded.has(String(name)) && !text.startsWith('data:')) characters += text.length;
    if (isOwn) return;
    if (storedNames.has(String(name))) storedIds.push({ pointer: pointer(), name: text });
    if (urls.has(String(name)) && !text.startsWith('data:')) checkUrl(text, pointer());
  };
  const visit = (name: string | number, value: unknown, isOwn: boolean): void => {
    if (typeof value === 'string') {
      visitText(name, value, isOwn);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) step(index, item, isOwn, name);
    } else if (typeof value === 'object' && value !== null) {
      const capability = isOwn ? undefined : attachmentOf(value as JsonFields);
      if (capability) {
        capabilities.add(capability);
        attached += 1;
      }
      // The text of a document, under a name that is usually one of encoded bytes.
      const { type, data } = value as JsonFields;
      if (type === 'text' && typeof data === 'string') characters += data.length;
      for (const each of Object.keys(value)) {
        step(each, (value as JsonFields)[each], isOwn || callersOwn.has(each));
      }
    }
  };
  /** @param of The name of a list, for its items. */
  const step = (name: string | number, value: unknown, isOwn: boolean, of: string | number = name): void => {
    path.push(name);
    visit(of, value, isOwn);
    path.pop();
  };

  for (const name of names) step(name, body[name], callersOwn.has(name) && name !== 'input');
  const inputTokens = Math.ceil(characters / 4) + attached * TOKENS_PER_ATTACHMENT;
  return { capabilities, storedIds, inputTokens };
}

/** The capability that a part needs. Documents of text, or of parts, are sent as these to models that read no files. */
function attachmentOf({ type, source }: JsonFields): Capability | undefined {
  if (typeof type !== 'string' || !Object.hasOwn(attachments, type)) return undefined;
  const kind = type === 'document' && fieldsOf(source)?.['type'];
  return kind === 'text' || kind === 'content' ? undefined : attachments[type];
}

/** The capabilities that a model needs for a chat with this content. */
export function chatCapabilities(
  found: Survey['capabilities'],
  { hasTools, hasFormat }: { readonly hasTools: boolean; readonly hasFormat: boolean },
): readonly Capability[] {
  const needed: Capability[] = ['chat', ...found];
  if (hasTools) needed.push('tools');
  if (hasFormat) needed.push('structured-output');
  return needed;
}

function checkUrl(text: string, pointer: string): void {
  const problem = checkPublicUrl(text);
  if (problem !== undefined) throw requestError(pointer, 'invalid_value', problem);
}
