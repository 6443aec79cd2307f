/**
 * The prelude of hostile code. `new Function` hides an import from every parser. An executor may have taken global
 * names away that the runtime's own modules need: `pretend` puts something in their place, so that those modules load
 * again and only real barriers remain.
 */
export const hostilePrelude = `
  const load = (() => {
    try { return new Function('specifier', 'options', 'return import(specifier, options)'); }
    catch (error) { return async () => { throw error; }; }
  })();
  const evaluate = (0, eval);
  const fs = () => load('node:fs');
  const node = (name) => load('node:' + name).then((module) => module.default);
  const anything = new Proxy(function () {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 'x' : name === 'then' ? undefined : anything),
    apply: () => anything,
    construct: () => anything,
    has: () => true,
  });
  const pretend = () => { globalThis.Deno ??= anything; };
`;
