import { type Candidate, definePlugin } from '@patchbay/core/plugin';

/** Chooses by the rules of a house: what it prefers in that order, then by price; what fails often comes last. */
export default definePlugin({
  name: 'patchbay-router-template',
  kind: 'router',
  version: 1,
  config: {
    properties: {
      prefer: {
        type: 'array',
        items: { type: 'string' },
        default: [],
        description: 'Models, or providers with all of theirs, best first: openai/gpt-5, anthropic.',
      },
    },
  },
  create({ config: { prefer } }) {
    const rank = ({ id, info, observed }: Candidate) => {
      const place = prefer.findIndex((name) => id === name || id.startsWith(`${name}/`));
      const { input, output } = info.pricing ?? { input: 1e6, output: 1e6 };
      if (observed.failureRate > 0.5) return { id, score: -1e9, reason: 'It fails more often than not.' };
      if (place === -1) return { id, score: -(input + output), reason: 'By price: the rules do not name it.' };
      return { id, score: 1e6 - place, reason: `Number ${place + 1} of the rules.` };
    };
    return {
      route: async (_request, candidates) => candidates.map(rank).sort((one, other) => other.score - one.score),
    };
  },
});
