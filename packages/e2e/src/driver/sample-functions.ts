/** A function that returns what it was given. */
export const echo = {
  name: 'Echo',
  description: 'Returns its input',
  input: { type: 'object' },
  output: { type: 'object' },
  code: 'export default (input) => input',
} as const;

/** A function that uses defaults, as the sample of the specification does. */
export const summarize = {
  name: 'Summarize Text',
  description: 'Summarizes a text',
  input: {
    type: 'object',
    properties: { text: { type: 'string' }, maxPoints: { type: 'integer', default: 5 } },
    required: ['text'],
  },
  output: {
    type: 'object',
    properties: { summary: { type: 'string' }, points: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'points'],
  },
  code: `async function summarizeText({ text, maxPoints = 5 }) {
  const points = text.split('. ').slice(0, maxPoints);
  return { summary: points[0], points };
}`,
} as const;
