import { createHash } from 'node:crypto';
import type { JsonObject } from '@patchbay/core/plugin';
import { type ChatRequest, fieldsOf, type JsonFields, listOf, type ModelInfo, textOf } from '@patchbay/core/provider';
import type { Prefill } from './prefill.ts';
import data from './presets.json' with { type: 'json' };

/** A vendor, or a self-hosted server, with an OpenAI-compatible API: its address, and where it differs. */
export interface Preset {
  /** Absent where every customer has a separate address. */
  readonly baseUrl?: string;
  /** The environment variable in which the vendor's documentation puts the key. Absent: a server that requires none. */
  readonly variable?: string;
  /** The vendor whose models on the price list it has. */
  readonly vendor?: string;
  /** The header of the key. Default: `Authorization: Bearer`. */
  readonly keyHeader?: string;
  /** The capabilities of its text models. Default: chat, code, tools and structured output. */
  readonly capabilities?: ModelInfo['capabilities'];
  /** Sampling values that it refuses. */
  readonly unsupported?: ModelInfo['unsupported'];
  /** The prefix that its API puts before the names of the price list. */
  readonly modelPrefix?: string;
  /** Ids of tool calls have nine letters and digits. */
  readonly shortToolCallIds?: boolean;
  /** Streams end with usage, and `stream_options` is refused. */
  readonly sendsUsageUnasked?: boolean;
  /** Where assistant messages take back the model's reasoning. Absent: there is no place for it. */
  readonly reasoning?: 'reasoning_content' | 'reasoning' | 'thinking';
  /** Every turn of the assistant has that member, empty where there was no reasoning. */
  readonly needsReasoning?: boolean;
  /** The levels of effort that it knows. Default: all. */
  readonly efforts?: readonly NonNullable<ChatRequest['reasoningEffort']>[];
  /** How it is asked to answer without reasoning, if not by the effort `none`. */
  readonly noReasoning?: Readonly<Record<string, JsonObject>>;
  /** Sampling values that have no effect while its models reason, which they do by default. */
  readonly ignoredWhileReasoning?: ModelInfo['unsupported'];
  /** The name of the seed; false where there is none. Default: `seed`. */
  readonly seed?: string | false;
  /** Models call tools as they like, whatever the choice. */
  readonly ignoresToolChoice?: boolean;
  /** The name of the length of vectors. Default: `dimensions`. */
  readonly dimensions?: string;
  /** Texts that one request may embed. Default: a number that every known server takes. */
  readonly embedBatch?: number;
  /** Text parts take `cache_control`. */
  readonly takesCacheMarks?: boolean;
  /** Files may be given by their address. */
  readonly takesFileUrls?: boolean;
  /** Members of requests that choose other models, or have others work, past the policies of this server. */
  readonly refused?: readonly string[];
  /** It has the Responses API as OpenAI does, and keeps responses that clients name later. */
  readonly keepsResponses?: boolean;
  /**
   * Its models continue a last message of the assistant, and how they are asked to. Absent: not documented, or not of all
   * its models.
   */
  readonly prefill?: Prefill;
  /** The path, from the root of the server, of the list of the models that it has. */
  readonly list?: string;
  /** The pages and the code of its clients that this was taken from, as of 2026. */
  readonly sources: readonly string[];
}

export const presets = data as Readonly<Record<string, Preset>>;

export const presetNames = Object.keys(data);

/**
 * Assumed until the gateway has seen responses: below every model of the catalogues, because nothing is known but the
 * price.
 */
const UNKNOWN_QUALITY = 0.3;

const textCapabilities: ModelInfo['capabilities'] = ['chat', 'code', 'tools', 'structured-output'];

/**
 * The vendor's models on the price list, without those that are deprecated. The core reads their prices from the same
 * list.
 */
export async function modelsOfPreset({
  vendor,
  capabilities,
  unsupported,
  modelPrefix = '',
}: Preset): Promise<readonly ModelInfo[]> {
  if (vendor === undefined) return [];
  const { findProvider } = await import('@pydantic/genai-prices');
  const listed = (findProvider({ providerId: vendor })?.models ?? []) as readonly ListedModel[];
  return listed.flatMap((model): ModelInfo[] => {
    const name = nameOf(model);
    if (name === undefined || model.deprecated) return [];
    const isEmbedding = /\bembed(ding)?/i.test(name);
    return [
      {
        name: modelPrefix + name,
        capabilities: isEmbedding ? ['embeddings'] : (capabilities ?? textCapabilities),
        vendor,
        quality: UNKNOWN_QUALITY,
        ...(model.context_window === undefined ? {} : { contextWindow: model.context_window }),
        ...(unsupported && !isEmbedding ? { unsupported } : {}),
      },
    ];
  });
}

/** An entry of the price list, as far as it is read. */
interface ListedModel {
  readonly id: string;
  readonly deprecated?: boolean;
  readonly context_window?: number;
  readonly match: Match;
}

interface Match {
  readonly equals?: string;
  readonly or?: readonly Match[];
}

/** A name that the API knows: the entry's own if it is one of the names it stands for, else the first of these. */
function nameOf({ id, match }: ListedModel): string | undefined {
  const names = [match, ...(match.or ?? [])].flatMap(({ equals }) => equals ?? []);
  return names.includes(id) ? id : names[0];
}

/** An id of a tool call in the form that Mistral wants: nine letters and digits. */
export function shortToolCallId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** The model in an entry of a local server's list; undefined for anything else. */
export function localModel(entry: JsonFields): ModelInfo | undefined {
  const name = textOf(entry['id']) ?? textOf(entry['model']) ?? textOf(entry['name']);
  if (name === undefined || name === '') return undefined;
  const said = (listOf(entry['capabilities']) ?? []).filter((each) => typeof each === 'string');
  const meta = fieldsOf(entry['meta']);
  const contextWindow = [entry['max_context_length'], entry['max_model_len'], meta?.['n_ctx_train']].find(isCount);
  const isEmbedding =
    (textOf(entry['type']) ?? '').startsWith('embedding') || said.includes('embedding') || /\bembed/i.test(name);
  const sees = entry['type'] === 'vlm' || said.includes('vision');
  return {
    name,
    capabilities: isEmbedding ? ['embeddings'] : [...textCapabilities, ...(sees ? (['vision'] as const) : [])],
    pricing: { input: 0, output: 0 },
    quality: UNKNOWN_QUALITY,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
