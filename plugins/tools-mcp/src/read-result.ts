import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { type JsonValue, PatchbayError, type ToolServer } from '@patchbay/core/plugin';

type ToolResult = Awaited<ReturnType<ToolServer['call']>>;

/** @throws PatchbayError `tool_failed` for a result that is larger than `maxBytes`. */
export function readResult({ content, structuredContent, isError }: CallToolResult, maxBytes: number): ToolResult {
  const bytes = Buffer.byteLength(JSON.stringify({ content, structuredContent }));
  if (bytes > maxBytes) {
    throw new PatchbayError(
      'tool_failed',
      `the result of the tool has ${bytes} bytes; at most ${maxBytes} are accepted`,
    );
  }
  const texts = content.map(textOf);
  const text =
    texts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : texts.join('\n');
  return {
    text,
    ...(structuredContent !== undefined && { value: structuredContent as JsonValue }),
    ...(isError === true && { isError }),
  };
}

/** The text of a block. A block without one is named, so that a reader knows what is missing. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource ? resource.text : `[resource ${resource.uri}, ${resource.mimeType ?? 'binary'}]`;
    }
    default:
      return '[content of an unknown type]';
  }
}
