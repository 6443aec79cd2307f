/** How Patchbay reaches a vendor. */
export interface Vendor {
  readonly use: string;
  readonly preset?: string;
  /** Only if the plugin or its preset has a different one. */
  readonly baseUrl?: string;
  /** A server whose models no plugin lists. */
  readonly isOwn?: boolean;
}

const openai = '@patchbay/provider-openai';
const preset = (name: string): Vendor => ({ use: openai, preset: name });

/** By the name that the mount gets. */
export const vendors = {
  openai: { use: openai },
  anthropic: { use: '@patchbay/provider-anthropic' },
  google: { use: '@patchbay/provider-google' },
  groq: preset('groq'),
  mistral: preset('mistral'),
  deepseek: preset('deepseek'),
  xai: preset('xai'),
  together: preset('together'),
  fireworks: preset('fireworks'),
  openrouter: preset('openrouter'),
  cerebras: preset('cerebras'),
  azure: { ...preset('azure'), isOwn: true },
  ollama: { ...preset('ollama'), isOwn: true },
  lmstudio: { ...preset('lmstudio'), isOwn: true },
  vllm: { ...preset('vllm'), isOwn: true },
  hyperbolic: { use: openai, baseUrl: 'https://api.hyperbolic.xyz/v1', isOwn: true },
  /** A server with an API like OpenAI's. */
  compatible: { use: openai, isOwn: true },
} as const satisfies Readonly<Record<string, Vendor>>;

export type VendorName = keyof typeof vendors;
