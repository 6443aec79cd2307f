/**
 * Ids of tool calls in the form that Anthropic accepts: letters, digits, `_` and `-`. Adapters put into them what their
 * vendor wants back, such as the signature of Gemini's thoughts, so that other ids are packed and not replaced.
 */
const PREFIX = 'toolu_patchbay_';

export function packToolId(id: string): string {
  const isPlain = /^[a-zA-Z0-9_-]+$/.test(id) && !id.startsWith(PREFIX);
  return isPlain ? id : PREFIX + Buffer.from(id).toString('base64url');
}

export function unpackToolId(packed: string): string {
  if (!packed.startsWith(PREFIX)) return packed;
  const id = Buffer.from(packed.slice(PREFIX.length), 'base64url').toString();
  // An id that was not packed here is left unchanged.
  return id !== '' && packToolId(id) === packed ? id : packed;
}
