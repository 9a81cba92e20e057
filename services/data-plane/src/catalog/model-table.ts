import type { CatalogMessage, ModelMessage, ProviderMessage } from '@model-gateway/contracts';
import { type ProviderProtocol, providerProtocolOf } from '@model-gateway/dialects';
import {
  type Capability,
  capability,
  filePricing,
  MEDIA_PART_TOKENS,
  type Price,
  PriceLists,
  type PriceListVersion,
  priceOf,
  pricing,
  type Tier,
  tier,
} from '@model-gateway/shared';
import { credentialSourceOf } from '../credential-sources/credential-source-of.ts';
import type { CredentialSource } from '../credential-sources/fetched-credential.ts';
import { type RoutedTimeouts, timeoutsOfModel, timeoutsOfProvider } from './routed-timeouts.ts';

/** A credential of a provider; both members undefined: the provider needs none. */
export interface RoutedCredential {
  /** The environment variable that holds it; undefined: none is named. */
  variable: string | undefined;
  /** Set for a credential that has to be fetched. */
  source: CredentialSource | undefined;
  weight: number;
}

/** A provider as the data plane uses it. An upstream's provider carries the timeouts of its model. */
export interface RoutedProvider {
  id: string;
  kind: string;
  origin: string;
  /** Path of its base URL, without a trailing slash. */
  pathPrefix: string;
  protocol: ProviderProtocol;
  /** At least one. Those whose variable is not set are skipped. */
  credentials: readonly RoutedCredential[];
  headers: Readonly<Record<string, string>>;
  timeouts: RoutedTimeouts;
}

export interface RoutedUpstream {
  provider: RoutedProvider;
  model: string;
  /** Priority 1 is tried first. */
  priority: number;
  weight: number;
}

/** The prices of a request to a model. */
export interface RoutedPrice {
  /** Recorded version of `cost`. */
  version: number;
  /** Charged to the payer. */
  selling: Price;
  /** Charged by the provider. */
  cost: Price;
  /** The price list that made `selling`; undefined: `selling` equals `cost`. */
  list?: PriceListVersion;
}

export interface RoutedModel {
  id: string;
  capability: Capability;
  tier: Tier;
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
  /** Maximum input tokens of one image in a chat, and the estimate for a recording or a file. */
  mediaPartTokens: number;
  /**
   * Input tokens reserved for one recording or file in a chat; the context bounds all together. Undefined:
   * estimated from its size, or the rest of the context.
   */
  filePartTokens: number | undefined;
  /** Undefined: the model is free. */
  price: RoutedPrice | undefined;
  upstreams: readonly RoutedUpstream[];
  /** `none`: each request chooses upstream and credential anew, also within a conversation. */
  affinity?: 'none' | undefined;
  /** Ids of the guardrails that check its chats, in order; left out: none. */
  guardrails?: readonly string[];
}

export interface WeightedModel {
  model: RoutedModel;
  weight: number;
}

/** The models behind a name. All of them have one capability and one tier. */
export interface ModelChoice {
  members: readonly [WeightedModel, ...WeightedModel[]];
  /** Models to try, in order, if every member fails. */
  fallbacks: readonly RoutedModel[];
  /** `none`: each request chooses a member anew, also within a conversation. */
  affinity?: 'none' | undefined;
}

export interface ModelTable {
  revision: number;
  providers: ReadonlyMap<string, RoutedProvider>;
  models: ReadonlyMap<string, RoutedModel>;
  /** By every name that callers may use: model ids, virtual models and aliases. */
  choices: ReadonlyMap<string, ModelChoice>;
  priceLists: PriceLists;
}

/** Builds the lookup tables once per catalog change, so that a request needs one lookup. */
export function modelTable(catalog: CatalogMessage): ModelTable {
  const providers = new Map(
    catalog.providers.flatMap((message) => {
      const provider = routedProvider(message);
      return provider === undefined ? [] : [[provider.id, provider] as const];
    }),
  );
  const messages = new Map(catalog.providers.map((message) => [message.id, message]));
  const models = new Map(
    catalog.models.flatMap((message) => {
      const model = routedModel(message, providers, messages);
      return model === undefined ? [] : [[model.id, model] as const];
    }),
  );
  return {
    revision: Number(catalog.revision),
    providers,
    models,
    choices: modelChoices(catalog, models),
    priceLists: new PriceLists(catalog.priceLists),
  };
}

/** Leaves out models that only newer releases can serve, and names without any model. */
function modelChoices(
  { models: messages, virtualModels }: CatalogMessage,
  models: ReadonlyMap<string, RoutedModel>,
): Map<string, ModelChoice> {
  const own = messages.map(({ id, affinity, aliases, fallbacks }) => {
    return { id, affinity, aliases, fallbacks, models: [{ model: id, weight: 1 }] };
  });
  const named = [...virtualModels, ...own].flatMap(
    ({ id, affinity, aliases, fallbacks, models: members }) => {
      const [first, ...more] = members.flatMap(({ model: memberId, weight }) => {
        const model = models.get(memberId);
        return model === undefined ? [] : [{ model, weight }];
      });
      if (first === undefined) return [];
      const choice: ModelChoice = {
        members: [first, ...more],
        fallbacks: fallbacks.flatMap((fallback) => models.get(fallback) ?? []),
        affinity: affinityOf(affinity),
      };
      return [{ id, aliases, choice }];
    },
  );
  // Ids win over aliases: an older release may have stored a catalog with conflicts.
  return new Map([
    ...named.flatMap(({ aliases, choice }) => aliases.map((alias) => [alias, choice] as const)),
    ...named.map(({ id, choice }) => [id, choice] as const),
  ]);
}

/** @returns undefined for a kind that only newer releases know */
function routedProvider(message: ProviderMessage): RoutedProvider | undefined {
  const protocol = providerProtocolOf(message.kind, message);
  if (protocol === undefined) return undefined;
  const { origin, pathname } = new URL(message.baseUrl);
  const pathPrefix = pathname.replace(/\/+$/, '');
  return {
    id: message.id,
    kind: message.kind,
    origin,
    pathPrefix,
    protocol,
    credentials: credentialVariables(message).map((variable, index) => ({
      variable,
      weight: message.credentialWeights[index] ?? 1,
      source: credentialSourceOf(message.kind, {
        credentialEnv: variable,
        region: message.region,
        pathPrefix,
      }),
    })),
    // Lower case, so that a constant header never goes out beside its other spelling.
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    timeouts: timeoutsOfProvider(message),
  };
}

/** Returns the variables of a provider; a list of one undefined if it needs none. */
function credentialVariables({
  credentialEnv,
  credentialEnvs,
}: ProviderMessage): readonly (string | undefined)[] {
  return credentialEnvs.length > 0 ? credentialEnvs : [credentialEnv];
}

/**
 * @returns undefined for a model that only newer releases can serve, and for a paid one without a price that
 *   this release can charge
 */
function routedModel(
  message: ModelMessage,
  providers: ReadonlyMap<string, RoutedProvider>,
  messages: ReadonlyMap<string, ProviderMessage>,
): RoutedModel | undefined {
  const modelCapability = capability.safeParse(message.capability);
  const modelTier = tier.safeParse(message.tier);
  if (!modelCapability.success || !modelTier.success) return undefined;
  const price = priceOfModel(message);
  if (modelTier.data === 'paid' && price === undefined) return undefined;
  return {
    id: message.id,
    capability: modelCapability.data,
    tier: modelTier.data,
    contextLength: message.contextLength,
    maxOutputTokens: message.maxOutputTokens,
    mediaPartTokens: message.tokensPerMediaPart ?? MEDIA_PART_TOKENS,
    filePartTokens: message.tokensPerFilePart,
    price: modelTier.data === 'free' ? undefined : price,
    affinity: affinityOf(message.affinity),
    ...(message.guardrails.length === 0 ? {} : { guardrails: message.guardrails }),
    upstreams: message.upstreams.flatMap((upstream) => {
      const provider = providers.get(upstream.provider);
      return provider?.protocol.endpoints[modelCapability.data] === undefined
        ? []
        : [
            {
              provider: providerOfUpstream(provider, message, upstream, messages.get(upstream.provider)),
              model: upstream.model,
              priority: upstream.priority,
              weight: upstream.weight,
            },
          ];
    }),
  };
}

/** Returns the provider with the timeouts and APIs that a model overrides. */
function providerOfUpstream(
  provider: RoutedProvider,
  { timeouts }: ModelMessage,
  { apis, prefer }: ModelMessage['upstreams'][number],
  message: ProviderMessage | undefined,
): RoutedProvider {
  const hasOwnApis = message !== undefined && (apis.length > 0 || prefer !== undefined);
  if (timeouts === null && !hasOwnApis) return provider;
  const own = hasOwnApis
    ? providerProtocolOf(message.kind, { ...message, apis: apis.length > 0 ? apis : message.apis, prefer })
    : undefined;
  return {
    ...provider,
    timeouts: timeouts === null ? provider.timeouts : timeoutsOfModel(provider.timeouts, timeouts),
    protocol: own ?? provider.protocol,
  };
}

function affinityOf(affinity: string | undefined): 'none' | undefined {
  return affinity === 'none' ? affinity : undefined;
}

function priceOfModel({ pricing: flat, priceVersion }: ModelMessage): RoutedPrice | undefined {
  const known = pricing.safeParse(filePricing(flat)).data;
  if (known === undefined || priceVersion === undefined) return undefined;
  const cost = priceOf(known);
  return { version: priceVersion, selling: cost, cost };
}

/** Returns true if the provider has the Responses API and stores responses itself. */
export function storesResponses({ protocol }: RoutedProvider): boolean {
  return protocol.endpoints.chat?.providerStored !== undefined;
}
