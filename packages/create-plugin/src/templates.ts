/** What there is a template for: its folder in `templates`, with the words that are replaced in it. */
export const templates = ['provider', 'storage', 'executor', 'router', 'authenticator'] as const;
export type TemplateKind = (typeof templates)[number];

export function isTemplateKind(kind: string): kind is TemplateKind {
  return (templates as readonly string[]).includes(kind);
}
