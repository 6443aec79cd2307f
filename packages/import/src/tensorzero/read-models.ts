import type { AppConfig } from '@patchbay/core';
import type { Access, OwnModel, ProviderMounts } from '../provider-mounts.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';
import type { VendorName } from '../vendors.ts';
import { readCredential } from './credential.ts';
import { readPrices } from './read-prices.ts';

export type Aliases = NonNullable<NonNullable<AppConfig['gateway']>['aliases']>;

/** Types of providers, and the environment variables that TensorZero reads their keys from. */
const types: Readonly<Record<string, { readonly vendor: VendorName; readonly keyVariable?: string }>> = {
  openai: { vendor: 'openai', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { vendor: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  azure: { vendor: 'azure', keyVariable: 'AZURE_API_KEY' },
  deepseek: { vendor: 'deepseek', keyVariable: 'DEEPSEEK_API_KEY' },
  fireworks: { vendor: 'fireworks', keyVariable: 'FIREWORKS_API_KEY' },
  google_ai_studio_gemini: { vendor: 'google', keyVariable: 'GOOGLE_AI_STUDIO_API_KEY' },
  groq: { vendor: 'groq', keyVariable: 'GROQ_API_KEY' },
  hyperbolic: { vendor: 'hyperbolic', keyVariable: 'HYPERBOLIC_API_KEY' },
  mistral: { vendor: 'mistral', keyVariable: 'MISTRAL_API_KEY' },
  openrouter: { vendor: 'openrouter', keyVariable: 'OPENROUTER_API_KEY' },
  sglang: { vendor: 'compatible' },
  tgi: { vendor: 'compatible' },
  together: { vendor: 'together', keyVariable: 'TOGETHER_API_KEY' },
  vllm: { vendor: 'vllm', keyVariable: 'VLLM_API_KEY' },
  xai: { vendor: 'xai', keyVariable: 'XAI_API_KEY' },
};

/** The models of a configuration. */
export interface Models {
  readonly aliases: Aliases;
  /** The model that a variant names, for settings; the reason if there is none. */
  find(name: string): { readonly model: string } | { readonly reason: string };
}

export function readModels(root: Source, mounts: ProviderMounts, report: Report): Models {
  const aliases: Record<string, Aliases[string]> = {};
  const defaultsOf = (type: string) =>
    root.member('provider_types')?.member(type)?.member('defaults')?.member('api_key_location');
  const read = (name: string, source: Source, details: Omit<OwnModel, 'name'>): void => {
    const providers = new Map(source.member('providers')?.members() ?? []);
    const routing = source.texts('routing') ?? [...providers.keys()];
    const ids = routing.flatMap((each) => {
      const provider = providers.get(each);
      return provider === undefined ? [] : (mountProvider(provider, { mounts, report, details, defaultsOf }) ?? []);
    });
    for (const [each, provider] of providers) {
      if (!routing.includes(each)) report.notMapped(provider, 'routing does not name it');
    }
    const [model, ...fallbacks] = ids;
    if (model === undefined) return;
    aliases[name] = { model, ...(fallbacks.length > 0 && { fallbacks }) };
    report.mapped(source, `the alias ${name}: ${ids.join(', then ')}`);
  };
  for (const [name, source] of root.member('models')?.members() ?? []) read(name, source, {});
  for (const [name, source] of root.member('embedding_models')?.members() ?? []) {
    read(name, source, { capabilities: ['embeddings'] });
  }

  return {
    aliases,
    find(name) {
      if (Object.hasOwn(aliases, name)) return { model: name };
      const [type = '', ...rest] = name.split('::');
      const known = types[type];
      const modelName = rest.at(-1);
      if (modelName === undefined) return { reason: `there is no model ${name}, or none of its providers is mapped` };
      if (known === undefined) return { reason: `no provider of Patchbay serves models of ${type}` };
      const { reference } = readCredential(defaultsOf(type), known.keyVariable);
      const usesResponses = rest.length > 1 && rest[0] === 'responses';
      return {
        model: mounts.model(
          known.vendor,
          { ...(reference && { apiKey: reference }) },
          { name: modelName },
          usesResponses,
        ),
      };
    },
  };
}

interface ProviderContext {
  readonly mounts: ProviderMounts;
  readonly report: Report;
  readonly details: Omit<OwnModel, 'name'>;
  readonly defaultsOf: (type: string) => Source | undefined;
}

/** The id of the model; undefined if Patchbay does not reach it, which is reported. */
function mountProvider(source: Source, { mounts, report, details, defaultsOf }: ProviderContext): string | undefined {
  const type = source.text('type') ?? '';
  const known = types[type];
  // A TGI server has one model, and accepts any name for it.
  const name = source.text('model_name') ?? source.text('deployment_id') ?? (type === 'tgi' ? type : undefined);
  if (known === undefined || name === undefined) {
    report.notMapped(
      source,
      known === undefined ? `no provider of Patchbay serves models of ${type}` : 'it names no model',
    );
    return undefined;
  }
  const differences: string[] = [];
  const credential = readCredential(source.member('api_key_location') ?? defaultsOf(type), known.keyVariable);
  if (credential.difference) differences.push(credential.difference);
  const baseUrl = baseUrlOf(known.vendor, source.text('api_base') ?? source.text('endpoint'), differences);
  const totalMs = totalOf(source.member('timeouts'));
  const access: Access = {
    ...(credential.reference !== undefined && { apiKey: credential.reference }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(totalMs !== undefined && { timeouts: { totalMs } }),
  };
  const isOther = known.vendor === 'openai' && baseUrl !== undefined && !baseUrl.startsWith('https://api.openai.com');
  const model = { name, ...details, ...readPrices(source.member('cost'), report) };
  const id = mounts.model(
    isOther ? 'compatible' : known.vendor,
    access,
    model,
    source.text('api_type') === 'responses',
  );
  if (differences.length > 0) report.changed(source, [id, ...differences].join('; '));
  else report.mapped(source, id);
  return id;
}

function baseUrlOf(vendor: VendorName, given: string | undefined, differences: string[]): string | undefined {
  if (given === undefined) return undefined;
  const variable = given.startsWith('env::') ? given.slice('env::'.length) : undefined;
  const plain = variable === undefined ? given.replace(/\/+$/, '').replaceAll('${', '$${') : `\${${variable}}`;
  const complete =
    { azure: `${plain}/openai/v1`, anthropic: plain.replace(/\/v1\/messages$/, '') }[vendor as string] ?? plain;
  if (variable !== undefined && complete !== plain)
    differences.push(`the value of ${plain} must have no slash at its end`);
  return complete;
}

/** A provider has one timeout for streams and other responses. */
function totalOf(timeouts: Source | undefined): number | undefined {
  const whole = timeouts?.member('non_streaming')?.member('total_ms');
  const streamed = timeouts?.member('streaming')?.member('total_ms');
  if (whole?.scalar === undefined || whole.scalar !== streamed?.scalar) return undefined;
  streamed.take();
  return whole.take() as number;
}
