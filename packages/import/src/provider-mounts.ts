import { freeName } from './free-name.ts';
import { type Vendor, type VendorName, vendors } from './vendors.ts';

/** A model in the options of a provider. Without capabilities, they are those that the plugin knows. */
export interface OwnModel {
  readonly name: string;
  readonly capabilities?: readonly string[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly pricing?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

/** Options in which mounts of one plugin may differ. */
export interface Access {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly organization?: string;
  readonly timeouts?: { readonly firstByteMs?: number; readonly idleMs?: number; readonly totalMs?: number };
}

export interface ProviderMount {
  readonly use: string;
  readonly with: Access & {
    readonly preset?: string;
    readonly detect?: boolean;
    readonly models?: readonly OwnModel[];
    readonly responses?: readonly string[];
  };
}

export type ProviderMounts = ReturnType<typeof createProviderMounts>;

/** Capabilities of text models about which nothing else is known. */
export const textCapabilities = ['chat', 'code', 'tools', 'structured-output'] as const;

interface OpenMount {
  readonly name: string;
  readonly mount: ProviderMount;
  readonly models: OwnModel[];
  /** Names of models that are called through the Responses API. */
  readonly responses: Set<string>;
}

/** Mounts one provider for each vendor, key and address by which models are reached. */
export function createProviderMounts() {
  const mounts = new Map<string, OpenMount>();
  const names = new Set<string>();

  const open = (vendorName: VendorName, access: Access) => {
    const identity = JSON.stringify([vendorName, access]);
    const found = mounts.get(identity);
    if (found) return found;
    const vendor: Vendor = vendors[vendorName];
    const stem = vendorName === 'compatible' ? nameOfServer(access.baseUrl ?? '') : vendorName;
    const name = freeName(stem, names);
    names.add(name);
    const { preset, baseUrl } = vendor;
    const made: OpenMount = {
      name,
      mount: {
        use: vendor.use,
        with: {
          ...(preset && { preset }),
          ...(baseUrl && { baseUrl }),
          ...access,
          // It is on whether or not its server has started: its models are those of the configuration.
          ...(preset && vendor.isOwn && preset !== 'azure' && { detect: false }),
        },
      },
      models: [],
      responses: new Set(),
    };
    mounts.set(identity, made);
    return made;
  };

  return {
    /** Mount a provider with the models that its plugin lists. Returns the name of the mount. */
    provider: (vendor: VendorName, access: Access): string => open(vendor, access).name,
    /** The id of a model. */
    model(vendorName: VendorName, access: Access, model: OwnModel, usesResponses = false): string {
      const { name, models, responses } = open(vendorName, access);
      if (usesResponses) responses.add(model.name);
      const vendor: Vendor = vendors[vendorName];
      const own = vendor.isOwn ? { ...model, capabilities: model.capabilities ?? textCapabilities } : model;
      const index = models.findIndex((each) => each.name === model.name);
      if (index < 0) models.push(own);
      else models[index] = { ...models[index], ...own };
      return `${name}/${model.name}`;
    },
    /** All mounts, by name. */
    all(): Readonly<Record<string, ProviderMount>> {
      const named = [...mounts.values()].map(({ name, mount, models, responses }) => {
        const options = {
          ...mount.with,
          ...(models.length > 0 && { models }),
          ...(responses.size > 0 && { responses: [...responses] }),
        };
        return [name, { use: mount.use, with: options }] as const;
      });
      return Object.fromEntries(named);
    },
  };
}

/** The host of a server, or the variable that holds its address, as the name of a mount. */
function nameOfServer(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? baseUrl;
  return (
    host
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'server'
  );
}
