// Roughly what a coding agent sends: 20 tools, and a conversation of 40 turns. 45 KB.

const parameters = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `option_${index}`,
      { type: 'string', description: 'An option of the tool.' },
    ]),
  ),
  required: ['option_0'],
};

export const agentTools = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Reads a file of the project, or a part of it. '.repeat(10),
  parameters,
}));

export const agentMessages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Turn ${index}. ${'The text of a conversation about a program. '.repeat(13)}`,
})).slice(0, -1);
