import {
  type GatewayOptions,
  PROVIDER_CREDENTIAL,
  type SharedGateway,
  startGatewayWithKey,
} from '@model-gateway/test-kit';
import {
  type SimulatedProvider,
  startSimulatedProvider,
} from '../../../../packages/simulated-provider/src/index.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { PROVIDER_IDS, type ProviderId, ruledCatalog, UPSTREAMS } from './ruled-catalog.ts';

/** A request that reached a provider. */
export interface Arrival {
  provider: ProviderId;
  /** Undefined: a request about a stored response. */
  modelId: string | undefined;
  method: string;
  path: string;
}

/** A gateway whose catalog is `ruledCatalog`, with one simulated provider for each of its providers. */
export interface RuledGateway extends AsyncDisposable {
  gateway: SharedGateway;
  providers: Readonly<Record<ProviderId, SimulatedProvider>>;
  /** Returns what has reached providers since the last call. */
  takeArrivals(): Arrival[];
}

export async function startRuledGateway(
  environment: GatewayOptions['environment'] = {},
): Promise<RuledGateway> {
  await using stack = new AsyncDisposableStack();
  const start = async () =>
    stack.use(await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
  const providers = {
    plain: await start(),
    storing: await start(),
    claude: await start(),
    other: await start(),
  };
  const gateway = stack.use(
    await startGatewayWithKey({
      catalog: true,
      environment,
      overrides: withoutBreakers(),
      document: () =>
        ruledCatalog({
          plain: providers.plain.baseUrl,
          storing: providers.storing.baseUrl,
          claude: providers.claude.baseUrl,
          other: providers.other.baseUrl,
        }),
    }),
  );
  const taken = { plain: 0, storing: 0, claude: 0, other: 0 };
  const owned = stack.move();
  return {
    gateway,
    providers,
    takeArrivals: () =>
      PROVIDER_IDS.flatMap((provider) => {
        const { requests } = providers[provider];
        const added = requests.slice(taken[provider]);
        taken[provider] = requests.length;
        return added.map(({ body, method, path }) => ({
          provider,
          modelId: modelAt(provider, body),
          method,
          path,
        }));
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @throws for a request with a model that the catalog does not have at the provider */
function modelAt(provider: ProviderId, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('model' in body)) return undefined;
  const found = Object.entries(UPSTREAMS).find(([, upstreams]) => upstreams[provider] === body.model);
  if (found === undefined) throw new Error(`${provider} got ${String(body.model)}, which it does not have`);
  return found[0];
}
