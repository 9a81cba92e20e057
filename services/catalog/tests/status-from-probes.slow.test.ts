import { PROVIDER_CREDENTIAL, simulatedCatalog, startGateway, untilWithin } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startSimulatedProvider } from '../../../packages/simulated-provider/src/index.ts';

const summary = z.object({
  status: z.object({ indicator: z.string() }),
  components: z.array(z.object({ id: z.string(), status: z.string() })),
});
const models = z.object({
  data: z.array(
    z.object({
      status: z.string(),
      requests_5m: z.number().nullable(),
      error_rate_5m: z.number().nullable(),
      latency_ms: z.object({ p50: z.number().nullable() }),
    }),
  ),
});
/**
 * The time of two probes with their random delays, plus the five seconds within which a status is reported.
 */
const SEEN_WITHIN_MS = 12_000;

async function startProbed(environment: Record<string, string>) {
  const startProvider = (port = 0) => startSimulatedProvider({ port, apiKey: PROVIDER_CREDENTIAL });
  const provider = { current: await startProvider() };
  const { baseUrl } = provider.current;
  const gateway = await startGateway({
    catalog: true,
    controlPlanes: 2,
    dataPlanes: 2,
    environment,
    document: () => simulatedCatalog(baseUrl),
  });
  const read = async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/status`);
    const { components, status } = summary.parse(await response.json());
    return {
      provider: components.find(({ id }) => id === 'provider:sim')?.status,
      indicator: status.indicator,
    };
  };
  return {
    baseUrl,
    gateway,
    provider,
    restart: async () => {
      provider.current = await startProvider(Number(new URL(baseUrl).port));
    },
    comesTo: (status: string) => untilWithin(SEEN_WITHIN_MS, async () => (await read()).provider === status),
    read,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await provider.current.close();
    },
  };
}

it('a provider without traffic is shown as it answers free probes: up, down, up again', {}, async () => {
  await using probed = await startProbed({
    PROVIDER_PROBE_INTERVAL_MS: '1000',
    EXPIRED_API_KEY: 'a-key-of-long-ago',
  });
  const { gateway, provider } = probed;
  await provider.current.waitForRequest();
  expect(await probed.read()).toEqual({ provider: 'operational', indicator: 'none' });
  for (const { method, path, headers } of provider.current.requests) {
    expect([method, path]).toEqual(['GET', '/v1/models']);
    expect(headers.authorization).toBe(`Bearer ${PROVIDER_CREDENTIAL}`);
  }

  await provider.current.close();
  await probed.comesTo('major_outage');
  expect((await probed.read()).indicator).toBe('major');
  // The results of probes are not among a model's figures.
  const { data } = models.parse(await (await fetch(`${gateway.baseUrl}/v1/status/models`)).json());
  expect(data.length).toBeGreaterThan(0);
  for (const row of data) {
    expect(row).toEqual({
      status: 'operational',
      requests_5m: 0,
      error_rate_5m: null,
      latency_ms: { p50: null },
    });
  }

  await probed.restart();
  await probed.comesTo('operational');

  // The provider answers, but does not accept our credential.
  await gateway.applyCatalog({
    ...simulatedCatalog(probed.baseUrl),
    providers: [{ id: 'sim', name: 'Simulated', kind: 'openai-compatible', base_url: probed.baseUrl }],
  });
  await probed.comesTo('degraded_performance');
  // It accepts one of several.
  const { models: known, providers } = simulatedCatalog(probed.baseUrl);
  const credential_env = ['EXPIRED_API_KEY', 'SIMULATED_API_KEY'];
  await gateway.applyCatalog({
    models: known,
    providers: providers.map((each) => ({ ...each, credential_env })),
  });
  await probed.comesTo('operational');
  // This address has no list of models, but a server there says so.
  await gateway.applyCatalog(simulatedCatalog(`${probed.baseUrl}/nothing-here`));
  await probed.comesTo('operational');
});

it('nobody asks a provider anything unless the setting says so', async () => {
  await using probed = await startProbed({});
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(probed.provider.current.requests).toEqual([]);
});
