import {
  addPool,
  readMetrics,
  simulatedCatalog,
  startGateway,
  sumOf,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import type { CatalogDocumentInput } from '../../packages/shared/src/index.ts';

/** Nothing listens there. */
const DEAD_URL = 'http://127.0.0.1:9/v1';
const STORED_RESPONSES = { RESPONSES_STATE_TTL_S: '60', RESPONSES_STATE_KEY: '0'.repeat(64) };
const PRICING = { input_per_million_usd: '1', output_per_million_usd: '5' };

interface PostOptions {
  /** Default: a key with high limits and enough money. */
  key?: string;
  route?: string;
  signal?: AbortSignal;
  /** Members of the body besides a short chat. */
  [member: string]: unknown;
}

/** A gateway with all its services and their metrics. */
export interface MonitoredGateway extends AsyncDisposable {
  gateway: TestGateway;
  services: readonly { service: string; internalPort: number }[];
  /** Sends requests of every kind, also failing ones. @returns their statuses in order */
  send(): Promise<number[]>;
}

export async function startMonitoredGateway(redisUrl: string | undefined): Promise<MonitoredGateway> {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.use(
    await startGateway({
      ...{ catalog: true, dashboard: true, ownPools: true, defaultLimits: true },
      ...(redisUrl === undefined ? {} : { redisUrl }),
      environment: {
        REFUSED_KEY: 'nobody-knows-this-credential',
        OTEL_EXPORTER_OTLP_ENDPOINT: DEAD_URL,
        ...(redisUrl && STORED_RESPONSES),
      },
      document,
    }),
  );
  const {
    admin,
    catalog,
    controlPlanes: [controlPlane],
    dashboard,
    dataPlanes: [dataPlane],
  } = gateway;
  if (!catalog || !controlPlane || !dashboard || !dataPlane) throw new Error('all of them were started');
  const payer = await gateway.createAccount();
  await addPool(admin, { kind: 'account', id: payer }, '1000');
  const many = { value: 1_000_000 };
  await admin.call(10_000, 'accounts', 'setLimits', {
    ...{ account: payer, freePerMinute: many, paidPerMinute: many, readsPerMinute: many },
    concurrentStreams: many,
  });
  const { rawKey } = await gateway.createKey(payer);
  const { rawKey: poorKey, accountId: poor } = await gateway.createKey();
  await admin.call(10_000, 'accounts', 'setLimits', { account: poor, freePerMinute: { value: 1 } });

  let conversations = 0;
  const post = (
    model: string,
    { key = rawKey, route = 'chat/completions', signal, ...more }: PostOptions = {},
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}/v1/${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      // Each one is a conversation of its own, so that every credential gets some.
      body: JSON.stringify({
        model,
        max_tokens: 20,
        messages: [{ role: 'user', content: `hi ${++conversations}` }],
        ...more,
      }),
      ...(signal === undefined ? {} : { signal }),
    });
  const statusOf = async (sent: Promise<Response>) => {
    const response = await sent;
    await response.text();
    return response.status;
  };
  const hanging = { simulate: { hang: 'before_headers' } };
  const isHanging = ({ bodyText }: { bodyText: string }) => bodyText.includes('before_headers');

  const end = new AbortController();
  const hangingRequest = post('sim/chat-pro', { ...hanging, signal: end.signal }).catch(() => undefined);
  stack.defer(async () => {
    end.abort();
    await hangingRequest;
  });
  await gateway.provider.waitForRequest(isHanging);

  const leave = async () => {
    const stop = new AbortController();
    gateway.provider.clear();
    const left = post('sim/chat-free', { ...hanging, signal: stop.signal }).catch(() => undefined);
    await gateway.provider.waitForRequest(isHanging);
    stop.abort();
    await left;
  };
  const owned = stack.move();
  return {
    gateway,
    services: Object.entries({
      'data-plane': dataPlane,
      'control-plane': controlPlane,
      catalog,
      dashboard,
    }).map(([service, { internalPort }]) => ({ service, internalPort })),
    async send() {
      await leave();
      const statuses: number[] = [];
      for (const send of [
        () => post('sim/chat-free'),
        () => post('sim/chat-pro'),
        () => post('sim/chat-pro', { stream: true }),
        () => post('sim/no-such-model'),
        () => post('sim/chat-free', { key: poorKey }),
        () => post('sim/chat-free', { key: poorKey }),
        () => post('sim/chat-pro', { key: poorKey }),
        () => post('sim/chat-free', { simulate: { status: 422 } }),
        () => post('dead/chat'),
        // Conversations choose among two credentials; all of 20 avoid the refused one once in a million runs.
        ...Array.from({ length: 20 }, () => () => post('several/chat')),
        () => post('claude/chat', { route: 'messages', simulate: { web_searches: 2 } }),
        () => fetch(`http://127.0.0.1:${catalog.port}/v1/models`),
      ])
        statuses.push(await statusOf(send()));
      // Requests are counted when their connections end; the hanging one stays open.
      await until(async () => sumOf(await readMetrics(dataPlane), 'gateway_open_requests') === 1);
      return statuses;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function document(baseUrl: string): CatalogDocumentInput {
  const { models, providers } = simulatedCatalog(baseUrl);
  const provider = { kind: 'openai-compatible' as const, base_url: baseUrl };
  const chat = (id: string, model: string) => ({
    ...{ id: `${id}/chat`, name: id, capability: 'chat' as const, tier: 'paid' as const, pricing: PRICING },
    upstreams: [{ provider: id, model }],
  });
  return {
    providers: [
      ...providers,
      { ...provider, id: 'dead', name: 'Dead', base_url: DEAD_URL },
      {
        ...{ ...provider, id: 'several', name: 'Several' },
        credential_env: ['SIMULATED_API_KEY', 'REFUSED_KEY', 'UNSET_KEY'],
      },
      {
        ...{ id: 'claude', name: 'Claude', kind: 'anthropic', base_url: baseUrl },
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: [
      ...models,
      chat('dead', 'sim-chat-pro'),
      chat('several', 'sim-chat-pro'),
      chat('claude', 'sim-claude-pro'),
    ],
  };
}
