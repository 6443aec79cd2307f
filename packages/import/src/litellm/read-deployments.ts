import type { Access, OwnModel, ProviderMounts } from '../provider-mounts.ts';
import { textCapabilities } from '../provider-mounts.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';
import { type VendorName, vendors } from '../vendors.ts';
import { addressOf, type ModelAddress } from './model-address.ts';
import { isReference, referenceTo } from './value-reference.ts';

/** An entry of `model_list` that Patchbay can serve. */
export interface Deployment {
  readonly source: Source;
  /** The name that clients use; several deployments may share it. */
  readonly group: string;
  /** The id in Patchbay; for wildcards, the pattern `<provider>/*`. */
  readonly model: string;
  /** The id of the deployment in LiteLLM, which fallbacks may name. */
  readonly id?: string;
}

const MILLION = 1_000_000;
const SECOND = 1_000;
/** Keys that mean no key. */
const noKeys = ['none', 'null', 'dummy', 'not-needed', 'EMPTY'];

/** Mount the providers of `model_list`. */
export function readDeployments(root: Source, mounts: ProviderMounts, report: Report): readonly Deployment[] {
  const credentials = readCredentials(root);
  const standard = readStandardTimeout(root, report);
  const variables = new Map<string, string>();
  const deployments = (root.member('model_list')?.items() ?? []).flatMap((source): readonly Deployment[] => {
    const params = source.member('litellm_params');
    const group = source.text('model_name');
    const named = params?.text('model');
    if (params === undefined || group === undefined || named === undefined) {
      report.notMapped(source, 'model_name and litellm_params.model are missing');
      return [];
    }
    const info = source.member('model_info');
    const mode = info?.text('mode') ?? 'chat';
    if (!['chat', 'embedding', 'responses'].includes(mode)) {
      report.notMapped(source, `Patchbay serves chats and embeddings, not ${mode}`);
      return [];
    }
    const credential = credentials.get(params.text('litellm_credential_name') ?? '');
    const setting = (name: string) => params.text(name) ?? credential?.text(name);
    const apiBase = setting('api_base') ?? setting('base_url');
    const address = addressOf(named, apiBase);
    if (typeof address === 'string') {
      report.notMapped(source, address);
      return [];
    }
    const isOwn = 'isOwn' in vendors[address.vendor];
    if (address.name === '*' && isOwn) {
      report.notMapped(source, 'the models of this server must be listed: no plugin knows them');
      return [];
    }
    const differences: string[] = [];
    const baseUrl = baseUrlOf(address, apiBase, differences);
    const apiKey = keyOf(address, setting('api_key'), { group, variables, differences });
    const organization = setting('organization');
    const own = timeoutOf(params.member('timeout'), report);
    if (own) report.changed(own.source, differenceOf(own));
    const timeout = own ?? standard.use();
    const access: Access = {
      ...(apiKey !== undefined && { apiKey }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(organization !== undefined && { organization: referenceTo(organization) }),
      ...(timeout && { timeouts: { firstByteMs: timeout.milliseconds, idleMs: timeout.milliseconds } }),
    };
    const id = info?.text('id');
    if (address.name === '*') {
      const model = `${mounts.provider(address.vendor, access)}/*`;
      report.mapped(source, `all models of the provider ${model.slice(0, -2)}`);
      return [{ source, group, model }];
    }
    const model = mounts.model(address.vendor, access, { name: address.name, ...detailsOf(mode, params, info) });
    if (differences.length === 0) report.mapped(source, model);
    else report.changed(source, [model, ...differences].join('; '));
    return [{ source, group, model, ...(id !== undefined && { id }) }];
  });
  standard.end();
  return deployments;
}

/** The values of `credential_list`, by name. */
function readCredentials(root: Source): ReadonlyMap<string, Source> {
  const named = (root.member('credential_list')?.items() ?? []).flatMap((entry) => {
    const values = entry.member('credential_values');
    const name = entry.text('credential_name');
    return values === undefined || name === undefined ? [] : [[name, values] as const];
  });
  return new Map(named);
}

interface Timeout {
  readonly source: Source;
  readonly milliseconds: number;
}

/** A timeout in seconds. What is no timeout is reported as such. */
function timeoutOf(source: Source | undefined, report: Report): Timeout | undefined {
  if (source === undefined) return undefined;
  const { scalar } = source;
  if (typeof scalar === 'number' && scalar > 0) {
    source.take();
    return { source, milliseconds: Math.ceil(scalar * SECOND) };
  }
  report.notMapped(source, scalar === 0 ? '0 is no timeout' : 'only a number of seconds is converted');
  return undefined;
}

/** Its counterparts end what stalls, not what takes long: that is worth a look. */
function differenceOf({ milliseconds }: Timeout): string {
  const limits = `${milliseconds} ms until a response begins, and between two parts of it`;
  return `timeouts.firstByteMs and timeouts.idleMs of its provider: ${limits}; a whole response has timeouts.totalMs`;
}

/** The timeout of deployments that have none. Its fate is known only when all of them were read. */
function readStandardTimeout(root: Source, report: Report) {
  const router = timeoutOf(root.member('router_settings')?.member('timeout'), report);
  const general = timeoutOf(root.member('litellm_settings')?.member('request_timeout'), report);
  if (router && general) report.notMapped(general.source, 'router_settings.timeout goes before it');
  const timeout = router ?? general;
  let isUsed = false;
  return {
    use(): Timeout | undefined {
      isUsed = true;
      return timeout;
    },
    end(): void {
      if (timeout === undefined) return;
      if (isUsed) report.changed(timeout.source, differenceOf(timeout));
      else report.notMapped(timeout.source, 'every deployment has its own timeout');
    },
  };
}

/** Capabilities, limits and prices that the configuration states. */
function detailsOf(mode: string, params: Source, info: Source | undefined): Omit<OwnModel, 'name'> {
  const price = (name: string) => params.number(name) ?? info?.number(name);
  const input = price('input_cost_per_token');
  const output = price('output_cost_per_token');
  const cacheRead = price('cache_read_input_token_cost');
  const cacheWrite = price('cache_creation_input_token_cost');
  const contextWindow = info?.number('max_input_tokens');
  const maxTokens = info?.number('max_output_tokens') ?? info?.number('max_tokens');
  const perMillion = (perToken: number): number => Number((perToken * MILLION).toPrecision(12));
  return {
    ...capabilitiesOf(mode, info),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxTokens !== undefined && mode !== 'embedding' && { maxTokens }),
    ...((input !== undefined || output !== undefined) && {
      pricing: {
        input: perMillion(input ?? 0),
        output: perMillion(output ?? 0),
        ...(cacheRead !== undefined && { cacheRead: perMillion(cacheRead) }),
        ...(cacheWrite !== undefined && { cacheWrite: perMillion(cacheWrite) }),
      },
    }),
  };
}

function capabilitiesOf(mode: string, info: Source | undefined): Pick<OwnModel, 'capabilities'> {
  if (mode === 'embedding') return { capabilities: ['embeddings'] };
  const tools = info?.boolean('supports_function_calling');
  const vision = info?.boolean('supports_vision');
  const schemas = info?.boolean('supports_response_schema');
  if (tools === undefined && vision === undefined && schemas === undefined) return {};
  const without = [...(tools === false ? ['tools'] : []), ...(schemas === false ? ['structured-output'] : [])];
  return {
    capabilities: [...textCapabilities.filter((each) => !without.includes(each)), ...(vision ? ['vision'] : [])],
  };
}

/** LiteLLM completes addresses in its own way for some vendors. */
function baseUrlOf(
  { vendor, baseVariable }: ModelAddress,
  given: string | undefined,
  differences: string[],
): string | undefined {
  const url = given ?? (baseVariable === undefined ? undefined : `os.environ/${baseVariable}`);
  if (url === undefined) return undefined;
  const plain = referenceTo(url.replace(/\/+$/, ''));
  const complete = completeUrl[vendor]?.(plain) ?? plain;
  if (isReference(url) && complete !== plain) {
    differences.push(`the value of ${plain} must have no path, and no slash at its end`);
  }
  return complete;
}

const completeUrl: Readonly<Partial<Record<VendorName, (url: string) => string>>> = {
  azure: (url) => `${url.replace(/\/openai(?:\/.*)?$/, '')}/openai/v1`,
  ollama: (url) => `${url.replace(/\/v1$/, '')}/v1`,
  anthropic: (url) => url.replace(/\/v1(?:\/messages)?$/, ''),
};

interface KeyContext {
  readonly group: string;
  /** Variables for keys that are written into the configuration, by key. */
  readonly variables: Map<string, string>;
  readonly differences: string[];
}

/** A key is always a reference to an environment variable: one that is written into the configuration stays there. */
function keyOf(
  { keyVariable }: ModelAddress,
  given: string | undefined,
  { group, variables, differences }: KeyContext,
): string | undefined {
  if (given === undefined) return keyVariable === undefined ? undefined : `\${${keyVariable}}`;
  if (isReference(given)) return referenceTo(given);
  if (noKeys.includes(given)) return undefined;
  const name = group.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  const variable = variables.get(given) ?? `KEY_OF_${name}`;
  variables.set(given, variable);
  differences.push(`the key is not copied: set it as the environment variable ${variable}`);
  return `\${${variable}}`;
}
