import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatUsd, type PlainCatalogInput } from '@model-gateway/shared';
import {
  type SharedGateway,
  spawnService,
  startGatewayWithKey,
  TEST_SECRETS,
  until,
} from '@model-gateway/test-kit';
import { PROVIDER_CREDENTIAL } from '@model-gateway/test-kit/start-gateway';
import { expect } from 'vitest';
import { z } from 'zod';
import { ProviderBreakers } from '../../../services/data-plane/src/upstream/provider-breakers.ts';
import { runWith } from './gatewayctl-fixture.ts';

const DAY_MS = 86_400_000;
const LANES = 16;
/** Other requests for each that is retried: a fifth of all requests may be retried. */
const PER_RETRY = 9;
const KINDS = ['normal', 'abort', 'timeout', 'retry', 'crash'] as const;
type Kind = (typeof KINDS)[number];
/** The simulated provider has two models. The second one serves retried requests and those that crash. */
const [FIRST, SECOND] = ['sim-chat-pro', 'sim-chat-free'];
const PRICING = { input_per_million_usd: '1.25', output_per_million_usd: '10' };
const PRICES = Object.fromEntries([FIRST, SECOND].map((model) => [model, { input: '1.25', output: '10' }]));
const REPORTS = ['usage/completions', 'costs'] as const;
const GROUPS = { 'usage/completions': ['model', 'api_key_id'], costs: ['line_item', 'api_key_id'] };

const causeRow = z.object({
  cause: z.string(),
  requests: z.int(),
  provider_usd: z.string().nullable(),
  gateway_usd: z.string(),
  difference_usd: z.string(),
  request_ids: z.array(z.string()),
});
const reportJson = z.object({
  mode: z.string(),
  money: z.object({
    provider_usd: z.string(),
    gateway_usd: z.string(),
    difference_usd: z.string(),
    unexplained_usd: z.string(),
  }),
  causes: z.array(causeRow),
  rows: z.array(
    z.object({ unit: z.string(), causes: z.array(z.object({ cause: z.string(), amount: z.string() })) }),
  ),
});

function catalogOf(baseUrl: string): PlainCatalogInput {
  return {
    providers: [
      {
        id: 'sim',
        name: 'Simulated',
        kind: 'openai-compatible',
        base_url: baseUrl,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: KINDS.map((kind) => ({
      id: `day/${kind}`,
      name: kind,
      capability: 'chat',
      tier: 'paid',
      max_output_tokens: 2_000,
      upstreams:
        kind === 'retry'
          ? [
              { provider: 'sim', model: FIRST, priority: 1 },
              { provider: 'sim', model: SECOND, priority: 2 },
            ]
          : [{ provider: 'sim', model: kind === 'crash' ? SECOND : FIRST }],
      ...(kind === 'timeout' ? { timeouts_ms: { first_byte_plain: 150 } } : {}),
      pricing: PRICING,
    })),
  };
}

/** Runs a day of requests with every fault, and compares the bills of the simulated provider. */
export async function reconciliationDrill(requests: number): Promise<string> {
  const some = Math.ceil(requests / 100);
  await using gateway = await startGatewayWithKey({
    document: catalogOf,
    provider: { prices: PRICES, keepBilled: 2 * requests, keepRequests: 1, tokenDelayMs: 0 },
    environment: { READ_ON_MS: '0' },
    overrides: { breakers: new ProviderBreakers(1_000_000) },
  });
  const control = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  const fromMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const crashed = crashDataPlane(gateway, control, Math.min(some, 30));
  const askNormally = async (index: number) => {
    const { status } = await gateway.ask(
      'chat/completions',
      bodyOf('normal', { content: `Number ${index}.` }),
    );
    expect(status).toBe(200);
  };
  await inLanes(requests - (5 + PER_RETRY) * some, askNormally);
  await inLanes(2 * some, (index) => abortStream(gateway, index));
  await inLanes(some, async () => {
    const simulate = { hang: 'before_headers', billed: true };
    expect((await gateway.ask('chat/completions', bodyOf('timeout', { simulate }))).status).toBe(504);
  });
  for (let index = 0; index < some; index++) {
    gateway.provider.script({ reset: 'after_headers', billed: true });
    expect((await gateway.ask('chat/completions', bodyOf('retry'))).status).toBe(200);
    await inLanes(PER_RETRY, askNormally);
  }
  await inLanes(some, (index) => bypass(gateway, index));
  await crashed;
  const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await settled(gateway);

  const folder = await mkdtemp(join(tmpdir(), 'bills-'));
  try {
    const compare = async (...files: string[]) => {
      const days = ['--from', dayOf(fromMs), '--to', dayOf(toMs)];
      const environment = { CONTROL_PLANE_ADDRESS: control, ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN };
      const named = files.flatMap((file) => ['-f', file]);
      const args = ['reconcile', '--provider', 'sim', ...days, ...named, '--json'];
      const { code, err, out } = await runWith(environment, args);
      expect({ code, err }).toEqual({ code: 1, err: '' });
      return reportJson.parse(JSON.parse(out));
    };
    const log = join(folder, 'requests.csv');
    await writeFile(log, await read(gateway, '/simulated/bill/requests.csv'));
    const exact = await compare(log);
    expectTruth(gateway, exact, 'requests');
    const reports = REPORTS.map((report) => join(folder, `${report.replace('/', '-')}.json`));
    for (const [index, report] of REPORTS.entries()) {
      const query = new URLSearchParams({
        start_time: String(fromMs / 1_000),
        end_time: String((toMs + DAY_MS) / 1_000),
        bucket_width: '1d',
        limit: '31',
      });
      for (const name of GROUPS[report]) query.append('group_by', name);
      await writeFile(reports[index] ?? '', await read(gateway, `/v1/organization/${report}?${query}`));
    }
    const sums = await compare(...reports);
    expectTruth(gateway, sums, 'sums');
    return exact.causes.map(({ cause, requests: count }) => `${cause} ${count}`).join(', ');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Compares what the report says of each cause with what the provider served. */
function expectTruth(
  gateway: SharedGateway,
  report: z.infer<typeof reportJson>,
  mode: 'requests' | 'sums',
): void {
  const billed = gateway.provider.billed();
  expect(gateway.provider.unbilled).toBe(0);
  const costOf = (some: typeof billed) =>
    formatUsd(
      some.flatMap(({ costs }) => [...costs.values()]).reduce((sum, cost) => sum + cost, 0n) / 1_000_000n,
    );
  const isBypass = ({ clientRequestId }: (typeof billed)[number]) =>
    clientRequestId?.startsWith('bypass') ?? false;
  const own = billed.filter((each) => !isBypass(each));
  const truth = {
    aborted_streams: own.filter(({ isStreamed, model }) => isStreamed && model === FIRST),
    timed_out_attempts: own.filter(({ isStreamed, state }) => !isStreamed && state === 'aborted'),
    retried_attempts: own.filter(
      ({ isStreamed, state }) => !isStreamed && (state === 'cut' || state === 'failed'),
    ),
    crashed: own.filter(({ isStreamed, model }) => isStreamed && model === SECOND),
    not_through_gateway: billed.filter(isBypass),
  };
  expect(report.mode).toBe(mode);
  expect(report.money).toMatchObject({ provider_usd: costOf(billed), unexplained_usd: '0.000000000' });
  const unexplained = report.rows.flatMap(({ causes, unit }) =>
    causes.filter(({ cause }) => cause === 'unexplained').map(({ amount }) => `${unit} ${amount}`),
  );
  expect(unexplained).toEqual([]);
  for (const [cause, served] of Object.entries(truth)) {
    const found = report.causes.find((each) => each.cause === cause);
    expect(served.length).toBeGreaterThan(0);
    const ofRequest = { requests: served.length, provider_usd: costOf(served) };
    if (mode === 'requests') expect({ cause, ...found }).toMatchObject({ cause, ...ofRequest });
    else if (cause !== 'not_through_gateway')
      expect({ cause, ...found }).toMatchObject({ requests: served.length });
  }
  const known = [...Object.keys(truth), 'rounding', 'time_boundary'];
  expect(report.causes.map(({ cause }) => cause).filter((cause) => !known.includes(cause))).toEqual([]);
}

function bodyOf(kind: Kind, { content = 'Say something.', ...members }: Record<string, unknown> = {}) {
  return { model: `day/${kind}`, messages: [{ role: 'user', content }], max_tokens: 300, ...members };
}

async function abortStream(gateway: SharedGateway, index: number): Promise<void> {
  const left = new AbortController();
  const simulate = { token_delay_ms: 20, content: `${'word '.repeat(250)}${index}` };
  const response = await gateway.post('chat/completions', bodyOf('abort', { stream: true, simulate }), {
    signal: left.signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  for (let chunk = 0; chunk < 3; chunk++) await reader?.read();
  left.abort();
}

/** Streams through a data plane of its own until all have a checkpoint, and kills it. */
async function crashDataPlane(gateway: SharedGateway, control: string, streams: number): Promise<void> {
  await using dataPlane = await spawnService('data-plane', {
    CONTROL_PLANE_ADDRESS: control,
    SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
    LOG_LEVEL: 'info',
  });
  const url = `http://127.0.0.1:${dataPlane.port}/v1/chat/completions`;
  const { rawKey } = await gateway.createKey();
  await until(
    async () => (await fetch(`http://127.0.0.1:${dataPlane.internalPort}/health/ready`)).ok,
    30_000,
  );
  const simulate = { token_delay_ms: 200, content: 'word '.repeat(250) };
  const responses = await Promise.all(
    Array.from({ length: streams }, () =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf('crash', { stream: true, simulate })),
      }),
    ),
  );
  const read = responses.map((response) => response.text().catch(() => ''));
  const checkpoints = "SELECT count(*)::int AS count FROM usage_checkpoints WHERE model_id = 'day/crash'";
  await until(async () => (await gateway.books.query(checkpoints))[0]?.count === streams);
  dataPlane.kill('SIGKILL');
  await dataPlane.exit;
  await Promise.all(read);
  // Ends the lease at once, for which control planes would wait half a minute.
  await gateway.books.query(`
    UPDATE key_watchers SET lease_until = now() - interval '1 hour' WHERE instance_id IN (
      SELECT instance_id FROM allowances JOIN usage_checkpoints c ON c.allowance_id = id WHERE c.model_id = 'day/crash'
    )`);
  await gateway.books.query(`
    SELECT close_expired_allowance(id, interval '1 millisecond') FROM allowances
    WHERE id IN (SELECT allowance_id FROM usage_checkpoints WHERE model_id = 'day/crash')`);
}

/** Asks the provider directly, with the credential of the gateway. */
async function bypass({ provider }: SharedGateway, index: number): Promise<void> {
  const response = await fetch(`${provider.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${PROVIDER_CREDENTIAL}`,
      'content-type': 'application/json',
      'x-client-request-id': `bypass-${index}`,
    },
    body: JSON.stringify({ ...bodyOf('normal'), model: FIRST }),
  });
  await response.text();
  expect(response.status).toBe(200);
}

async function read({ provider }: SharedGateway, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${PROVIDER_CREDENTIAL}` };
  const response = await fetch(new URL(path, provider.baseUrl), { headers });
  expect(response.status).toBe(200);
  return await response.text();
}

/** Waits until nothing is being stored or billed any more. */
async function settled(gateway: SharedGateway): Promise<void> {
  let last = '';
  await until(async () => {
    const [row] = await gateway.books.query('SELECT count(*)::int AS count FROM usage_records');
    const now = `${row?.count} ${gateway.provider.billed().length}`;
    const isSame = now === last;
    last = now;
    if (!isSame) await new Promise((resolve) => setTimeout(resolve, 500));
    return isSame;
  });
}

async function inLanes(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
