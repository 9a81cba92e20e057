import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram, until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withTracedGateway } from './traced-gateway.ts';

const hasGo = hasProgram('go');
if (!hasGo) console.warn('The OpenTelemetry collector was not tested: there is no Go on the PATH.');

interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

/** Starts a collector, made of Go modules, that writes what it receives into files. */
async function startCollector() {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-collector-'));
  const program = join(folder, 'collector');
  const cwd = join(import.meta.dirname, 'collector');
  const built = spawnSync('go', ['build', '-o', program, '.'], { cwd, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the collector cannot be built: ${built.stderr}`);
  const port = await freePort();
  const fileOf = (signal: string) => join(folder, `${signal}.json`);
  const signals = ['traces', 'metrics'];
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: Object.fromEntries(
      signals.map((signal) => [`file/${signal}`, { path: fileOf(signal), flush_interval: '100ms' }]),
    ),
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: Object.fromEntries(
        signals.map((signal) => [signal, { receivers: ['otlp'], exporters: [`file/${signal}`] }]),
      ),
    },
  };
  const child = spawn(program, [`--config=yaml:${JSON.stringify(config)}`], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
  return {
    url,
    /** Returns the lines of JSON that the collector has written whole so far. */
    lines: (signal: string): string[] =>
      existsSync(fileOf(signal)) ? readFileSync(fileOf(signal), 'utf8').split('\n').slice(0, -1) : [],
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function spansIn(lines: readonly string[]): CollectedSpan[] {
  return lines.flatMap((line) =>
    JSON.parse(line).resourceSpans.flatMap((resource: { scopeSpans: { spans: CollectedSpan[] }[] }) =>
      resource.scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

describe.skipIf(!hasGo)('a real collector', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  const target = { url: '' };
  beforeAll(async () => {
    collector = await startCollector();
    target.url = collector.url;
  }, 600_000);
  afterAll(() => collector?.[Symbol.asyncDispose]());
  const gateway = withTracedGateway(target, { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' });

  it('gets one whole trace of a request with a retry and a fallback, and the metrics', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    gateway.provider.script({ reset: 'before_headers' }, { status: 500 }, {});
    expect((await gateway.chat({ model: 'sim/chat-pro' }, { headers })).status).toBe(200);
    const trace = () => spansIn(collector.lines('traces')).filter((span) => span.traceId === traceId);
    await until(() => trace().some(({ name }) => name.endsWith('/SettleUsage')));
    const [server] = trace().filter(({ name }) => name === 'POST /v1/chat/completions');
    expect(server?.parentSpanId).toBe('00f067aa0ba902b7');
    const attempts = trace().filter(({ name }) => name.startsWith('chat '));
    expect(attempts.map(({ name }) => name)).toEqual([
      'chat sim-chat-pro',
      'chat sim-chat-pro',
      'chat sim-chat-free',
    ]);
    for (const { parentSpanId } of attempts) expect(parentSpanId).toBe(server?.spanId);
    await until(() => collector.lines('metrics').some((line) => line.includes('gateway_requests_total')));
    expect(
      await (await fetch(`http://127.0.0.1:${gateway.dataPlanes[0]?.internalPort}/metrics`)).text(),
    ).not.toMatch(/gateway_telemetry_dropped_total\{.*\} [1-9]/);
  });
});
