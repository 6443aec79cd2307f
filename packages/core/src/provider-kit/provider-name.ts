/** The prefix of a provider's models, out of the name of its mount: `openai` of `providers.openai`. */
export function providerName(mount: string): string {
  return mount.slice(mount.lastIndexOf('.') + 1);
}
