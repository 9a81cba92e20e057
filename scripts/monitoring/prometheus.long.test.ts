import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { hasProgram, type RedisServer, startRedisServer, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { panelExpressions } from './grafana-dashboard.ts';
import { type MonitoredGateway, startMonitoredGateway } from './monitored-gateway.ts';
import { RULES_FILE, readRules } from './prometheus-rules.ts';
import { type RunningPrometheus, startPrometheus } from './start-prometheus.ts';

const INTERVAL_MS = 1_000;
const PAUSE_MS = 300;
/** Long enough for a busy machine. */
const TIMEOUT_MS = 300_000;

/**
 * Returns the rules with six seconds for each minute. With fewer, a provider whose breaker is open would be
 * called too rarely for their rates.
 */
function accelerate(text: string): string {
  return text.replaceAll(
    /(\[|for: )(\d+)([hm])/g,
    (_, before, count, unit) => `${before}${Number(count) * 6}${unit === 'h' ? 'm' : 's'}`,
  );
}

/** Sends requests of every kind until `end`. */
function startTraffic({ send }: MonitoredGateway) {
  let isOver = false;
  const sent = (async () => {
    while (!isOver) {
      await send();
      await wait(PAUSE_MS);
    }
  })();
  return {
    async end() {
      isOver = true;
      await sent;
    },
  };
}

const { alerts, records } = readRules();

describe.skipIf(!hasProgram('prometheus') || !inject('ownRedis'))(
  'a Prometheus that scrapes a gateway',
  () => {
    const stack = new AsyncDisposableStack();
    let redis: RedisServer;
    let monitored: MonitoredGateway;
    let prometheus: RunningPrometheus;
    let traffic: ReturnType<typeof startTraffic>;

    beforeAll(async () => {
      const started = await startRedisServer();
      if (started === undefined) throw new Error('there was a redis-server a moment ago');
      redis = stack.use(started);
      monitored = stack.use(await startMonitoredGateway(redis.url));
      prometheus = stack.use(
        await startPrometheus({
          rules: accelerate(readFileSync(new URL(`../../${RULES_FILE}`, import.meta.url), 'utf8')),
          intervalMs: INTERVAL_MS,
          targets: monitored.services,
        }),
      );
      traffic = startTraffic(monitored);
      stack.defer(() => traffic.end());
    });
    afterAll(() => stack.disposeAsync());

    /** Returns the firing alerts with their provider or service. */
    async function firing(): Promise<string[]> {
      const series = await prometheus.series('ALERTS{alertstate="firing"}');
      return series.map(({ alertname, provider, service }) =>
        [alertname, provider ?? service].join(' ').trim(),
      );
    }
    const fires = (alert: string) => until(async () => (await firing()).includes(alert), TIMEOUT_MS);

    it('evaluates every rule, record and panel', async () => {
      const expressions = [
        ...records.map(({ record }): [string, string] => [record, record]),
        ...panelExpressions('10s').map(([title, expr]): [string, string] => [title, accelerate(expr)]),
      ];
      let empty = expressions;
      const isEmpty = async ([, expr]: [string, string]) => (await prometheus.series(expr)).length === 0;
      await until(async () => {
        const answers = await Promise.all(empty.map(isEmpty));
        empty = empty.filter((_, index) => answers[index]);
        return empty.length === 0;
      }, TIMEOUT_MS).catch(() => undefined);
      expect(empty).toEqual([]);
      const rules = await prometheus.rules();
      expect(rules).toHaveLength(alerts.length + records.length);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    });

    it('alerts about a dead provider, credentials and a missing price, and nothing else', async () => {
      await fires('ModelGatewayProviderFailing dead');
      await fires('ModelGatewayCredentialRefused several');
      await fires('ModelGatewayCredentialMissing several');
      await fires('ModelGatewayUsageUnpriced');
      expect((await firing()).sort()).toEqual([
        'ModelGatewayCredentialMissing several',
        'ModelGatewayCredentialRefused several',
        'ModelGatewayProviderFailing dead',
        'ModelGatewayUsageUnpriced',
      ]);
      const summaries = (await prometheus.rules()).flatMap((rule) =>
        rule.alerts.map(({ annotations: { summary } }) => summary),
      );
      expect(summaries).toContain('A credential for several is not accepted');
      expect(summaries).toContain('claude/chat has no price for web_search_requests');
    });

    it('alerts only while Redis is down', async () => {
      await redis.stop();
      await fires('ModelGatewayLimitsInMemory');
      const again = await startRedisServer({ port: redis.port });
      if (again === undefined) throw new Error('there was a redis-server a moment ago');
      stack.use(again);
      await until(async () => !(await firing()).includes('ModelGatewayLimitsInMemory'), TIMEOUT_MS);
    });

    it('alerts when the last control plane is gone', async () => {
      await traffic.end();
      await monitored.gateway.controlPlanes[0]?.close();
      await fires('ModelGatewayServiceGone control-plane');
      await fires('ModelGatewayControlPlaneNotHeard');
      expect(await firing()).not.toContain('ModelGatewayServiceGone data-plane');
    });
  },
);
