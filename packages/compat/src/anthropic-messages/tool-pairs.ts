import type { AssistantPart } from '@patchbay/core/provider';
import type { Value } from '../request/field.ts';

/**
 * Sees to it that every call of a tool has its result before the assistant goes on, and that every result has its call.
 * Vendors refuse anything else, each in its own words and without the place. Clients read the words of Anthropic.
 */
export class ToolPairs {
  readonly #open = new Set<string>();

  /** The assistant has called tools. */
  begin(parts: readonly AssistantPart[]): void {
    for (const part of parts) if (part.type === 'tool-call') this.#open.add(part.id);
  }

  /** @param at The member that has the id. */
  answer(id: string, at: Value): string {
    if (this.#open.delete(id)) return id;
    const detail =
      `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${shown(id)}. Each \`tool_result\` block must have a ` +
      'corresponding `tool_use` block in the previous message.';
    return at.fail('invalid_value', detail);
  }

  /** The assistant goes on, or the conversation ends. */
  end(at: Value): void {
    if (this.#open.size === 0) return;
    const ids = [...this.#open].slice(0, 5).map(shown).join(', ');
    const detail =
      `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must ` +
      'have a corresponding `tool_result` block in the next message.';
    at.fail('invalid_value', detail);
  }
}

const shown = (id: string): string => id.slice(0, 80);
