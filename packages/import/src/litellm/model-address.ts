import type { VendorName } from '../vendors.ts';

/** A vendor of LiteLLM, and the environment variables that LiteLLM reads if a model sets nothing else. */
interface Route {
  readonly vendor: VendorName;
  readonly keyVariable?: string;
  readonly baseVariable?: string;
}

const routes: Readonly<Record<string, Route>> = {
  openai: { vendor: 'openai', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { vendor: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  gemini: { vendor: 'google', keyVariable: 'GEMINI_API_KEY' },
  groq: { vendor: 'groq', keyVariable: 'GROQ_API_KEY' },
  mistral: { vendor: 'mistral', keyVariable: 'MISTRAL_API_KEY' },
  deepseek: { vendor: 'deepseek', keyVariable: 'DEEPSEEK_API_KEY' },
  xai: { vendor: 'xai', keyVariable: 'XAI_API_KEY' },
  together_ai: { vendor: 'together', keyVariable: 'TOGETHERAI_API_KEY' },
  fireworks_ai: { vendor: 'fireworks', keyVariable: 'FIREWORKS_API_KEY' },
  openrouter: { vendor: 'openrouter', keyVariable: 'OPENROUTER_API_KEY' },
  cerebras: { vendor: 'cerebras', keyVariable: 'CEREBRAS_API_KEY' },
  azure: { vendor: 'azure', keyVariable: 'AZURE_API_KEY', baseVariable: 'AZURE_API_BASE' },
  ollama: { vendor: 'ollama' },
  ollama_chat: { vendor: 'ollama' },
  lm_studio: { vendor: 'lmstudio', baseVariable: 'LM_STUDIO_API_BASE' },
  hosted_vllm: { vendor: 'vllm', baseVariable: 'HOSTED_VLLM_API_BASE' },
  custom_openai: { vendor: 'compatible' },
  openai_like: { vendor: 'compatible' },
  litellm_proxy: { vendor: 'compatible' },
};

/** A model as LiteLLM names it: its route, and its name at the vendor. */
export interface ModelAddress extends Route {
  readonly name: string;
}

/** @returns The reason if Patchbay cannot reach the model. */
export function addressOf(model: string, apiBase: string | undefined): ModelAddress | string {
  const slash = model.indexOf('/');
  const prefix = slash < 0 ? vendorOfBareName(model) : model.slice(0, slash);
  const name = model.slice(slash + 1);
  if (prefix === undefined) return `${model} does not say its vendor: write it as in openai/${model}`;
  const route = routes[prefix];
  if (route === undefined) return `no provider of Patchbay serves models of ${prefix}`;
  if (name === '') return 'it names no model';
  if (prefix !== 'openai' || apiBase === undefined || /^https:\/\/api\.openai\.com\b/.test(apiBase)) {
    return { ...route, name };
  }
  return { vendor: 'compatible', name };
}

/** For names without a vendor, LiteLLM consults a list; these are the ones that are certainly in it. */
function vendorOfBareName(model: string): string | undefined {
  if (/^(?:gpt-|o\d(?:-|$)|chatgpt-|text-embedding-|ft:gpt-)/.test(model)) return 'openai';
  return model.startsWith('claude-') ? 'anthropic' : undefined;
}
