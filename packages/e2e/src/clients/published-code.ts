import { registerHooks } from 'node:module';

// The condition that tests find our sources by is one that other packages have as well, for sources that Node does not
// take: they are to load as they were published.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!context.parentURL?.includes('/node_modules/')) return nextResolve(specifier, context);
    return nextResolve(specifier, { ...context, conditions: context.conditions.filter((each) => each !== 'source') });
  },
});
