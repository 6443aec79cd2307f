/** Server-sent events with JSON in them, as they arrive. An answer that is no stream has none. */
export async function* streamEvents(
  stream: AsyncIterable<string> | undefined,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  let rest = '';
  for await (const piece of stream ?? []) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
