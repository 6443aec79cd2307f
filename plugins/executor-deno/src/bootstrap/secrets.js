/**
 * Placeholders for the secrets of a function, by name. Names that code asks for by mistake are said to be missing rather
 * than sent as the text "undefined".
 *
 * @param {Record<string, string>} placeholders
 */
export function createSecrets(placeholders) {
  const secrets = Object.assign(Object.create(null), placeholders);
  /** @param {string} name */
  const get = (name) => {
    const placeholder = secrets[name];
    if (name !== 'get' && typeof placeholder === 'string') return placeholder;
    throw new Error(`This function may not use a secret "${name}"`);
  };
  Object.defineProperty(secrets, 'get', { value: get });
  return Object.freeze(secrets);
}
