import {
  type GatewayOptions,
  PROVIDER_CREDENTIAL,
  type SharedGateway,
  startGatewayWithKey,
} from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import {
  type SimulatedProvider,
  startSimulatedProvider,
} from '../../../../packages/simulated-provider/src/index.ts';

/** A gateway with two providers of different APIs, of which a test can make either fail. */
export interface FallbackGateway extends AsyncDisposable {
  gateway: SharedGateway;
  /** Serves `first/…` with Chat Completions, and fails as its script says. */
  first: SimulatedProvider;
  /** Serves `second/…` with Messages. */
  second: SimulatedProvider;
}

/**
 * Short time-outs of the first provider, which tests let hang. After two seconds, its estimated cost would
 * include output.
 */
const TIMEOUTS = { connect: 1_500, first_byte: 1_500, idle: 1_500, total: 1_500 };

const PRICES = {
  'first/paid': ['1.00', '2.00'],
  'second/paid': ['3.00', '15.00'],
  'dead/paid': ['100.00', '200.00'],
} as const;

export async function startFallbackGateway(
  options: Pick<GatewayOptions, 'overrides' | 'ownPools' | 'defaultLimits'> = {},
): Promise<FallbackGateway> {
  await using stack = new AsyncDisposableStack();
  const second = stack.use(await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
  const nobody = await freePort();
  const gateway = stack.use(
    await startGatewayWithKey({
      ...options,
      document: (baseUrl) => {
        const common = { credential_env: 'SIMULATED_API_KEY' };
        const upstreams = {
          first: [{ provider: 'first', model: 'sim-chat-pro' }],
          second: [{ provider: 'second', model: 'sim-claude-pro' }],
          dead: [{ provider: 'dead', model: 'sim-chat-pro' }],
        };
        return {
          providers: [
            {
              id: 'first',
              name: 'First',
              kind: 'openai-compatible',
              base_url: baseUrl,
              timeouts_ms: TIMEOUTS,
              ...common,
            },
            { id: 'second', name: 'Second', kind: 'anthropic', base_url: second.baseUrl, ...common },
            {
              id: 'dead',
              name: 'Dead',
              kind: 'openai-compatible',
              base_url: `http://127.0.0.1:${nobody}/v1`,
              ...common,
            },
          ],
          models: (['first', 'second', 'dead'] as const).flatMap((provider) =>
            (['free', 'paid'] as const).map((tier) => {
              const id = `${provider}/${tier}` as const;
              const [input, output] = PRICES[`${provider}/paid`];
              return {
                id,
                name: id,
                capability: 'chat' as const,
                tier,
                max_output_tokens: 1_000,
                upstreams: upstreams[provider],
                pricing:
                  tier === 'free' ? {} : { input_per_million_usd: input, output_per_million_usd: output },
              };
            }),
          ),
        };
      },
    }),
  );
  const owned = stack.move();
  return { gateway, first: gateway.provider, second, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
