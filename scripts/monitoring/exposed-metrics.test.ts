import { readMetrics, type Sample } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { GrpcStatus } from '../../packages/contracts/src/index.ts';
import { ERROR_CODES } from '../../packages/shared/src/index.ts';
import { readPage } from '../documents/pages.ts';
import { panelExpressions } from './grafana-dashboard.ts';
import { type MonitoredGateway, startMonitoredGateway } from './monitored-gateway.ts';
import { readRules } from './prometheus-rules.ts';
import { type Matcher, parsePromql, type Selector } from './promql.ts';

/** Prometheus adds these labels. */
const LABELS_OF_TARGETS = ['instance', 'job'];
/** All values of labels that a test cannot provoke. */
const KNOWN_VALUES: Record<string, readonly string[]> = {
  'gateway_requests_total code': ['', ...Object.keys(ERROR_CODES)],
  'gateway_control_calls_total status': Object.keys(GrpcStatus),
};

/** Samples that appear once a bill was compared, which happens two days after its day. */
const LATER_SAMPLES: readonly Sample[] = [
  { name: 'gateway_reconciliation_exceeded', labels: { provider: 'acme' }, value: 0 },
  { name: 'gateway_reconciliation_failed', labels: { provider: 'acme' }, value: 0 },
];

const { alerts, all, records } = readRules();
/** Every expression of the rules and the dashboard, by its place. */
const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ...records.map(({ expr, record }) => [record, expr] as const),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panelExpressions('5m'),
];
/** Metrics that Prometheus makes itself. */
const DERIVED = new Set(['ALERTS', ...records.map(({ record }) => record)]);

let monitored: MonitoredGateway;
let samples: Sample[];
/** Names of our metrics, also without samples. */
let names: Set<string>;

beforeAll(async () => {
  monitored = await startMonitoredGateway(inject('redis')?.url);
  const kinds = new Set(await monitored.send());
  expect([...kinds].sort()).toEqual([200, 402, 404, 422, 429, 502]);
  samples = (await Promise.all(monitored.services.map(readMetrics))).flat();
  const texts = await Promise.all(
    monitored.services.map(async ({ internalPort }) =>
      (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
    ),
  );
  names = new Set(
    texts.flatMap((text) => [...text.matchAll(/^# TYPE (gateway_\w+)/gm)].map(([, name = '']) => name)),
  );
  samples.push(...LATER_SAMPLES.filter(({ name }) => names.has(name)));
});
afterAll(() => monitored?.[Symbol.asyncDispose]());

const of = (metric: string) => samples.filter(({ name }) => name === metric);
const isReal = (metric: string) => !DERIVED.has(metric);

/** Returns the problem with a matcher on a label with known values; undefined: none. */
function knownProblems({ metric }: Selector, { label, operator, value }: Matcher): string[] | undefined {
  const known = KNOWN_VALUES[`${metric} ${label}`];
  const values = operator.endsWith('~') ? value.split('|') : [value];
  return known && values.filter((each) => !known.includes(each)).map((each) => `${label} is never ${each}`);
}

function matches({ labels }: Sample, { label, operator, value }: Matcher): boolean {
  const has = labels[label] ?? '';
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(has) : has === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

/** Returns metrics of an expression that the services do not expose. */
function problemsOf(expression: string): string[] {
  const { grouped, selectors } = parsePromql(expression);
  return [
    ...selectors
      .filter(({ metric }) => isReal(metric))
      .flatMap((selector) => {
        const { matchers, metric } = selector;
        const own = of(metric);
        if (own.length === 0) return [`no service exposes ${metric}`];
        const known = matchers.flatMap((matcher) => knownProblems(selector, matcher) ?? []);
        const others = matchers.filter((matcher) => knownProblems(selector, matcher) === undefined);
        const missing = others.filter(({ label }) => own.every(({ labels }) => !(label in labels)));
        const isEmpty = own.every((sample) => !others.every((matcher) => matches(sample, matcher)));
        return [
          ...known,
          ...missing.map(({ label }) => `${metric} has no label ${label}`),
          ...(isEmpty ? [`no series of ${metric} matches`] : []),
        ];
      }),
    ...grouped
      .filter(({ label, metrics }) => !LABELS_OF_TARGETS.includes(label) && metrics.every(isReal))
      .filter(({ label, metrics }) =>
        metrics.every((name) => of(name).every(({ labels }) => !(label in labels))),
      )
      .map(({ label, metrics }) => `none of ${metrics.join(', ')} has a label ${label}`),
  ];
}

describe('the metrics of the services', () => {
  it('include every metric, label and value that the rules and the dashboard use', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(all.length);
    const problems = EXPRESSIONS.flatMap(([place, expr]) =>
      problemsOf(expr).map((problem) => `${place}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  // Metrics of stored responses need Redis.
  it.skipIf(!inject('redis'))('are exactly those in docs/operations.md', () => {
    const [, section = ''] = readPage('docs/operations.md').split('\n## Metrics\n');
    const [table = ''] = section.split('\n## ');
    const documented = [...table.matchAll(/^\| `(gateway_\w+)`/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...names].sort());
  });
});

describe('an expression', () => {
  it('with an unknown metric, label, value or group is found', () => {
    expect(problemsOf('sum(gateway_open_request)')).toEqual(['no service exposes gateway_open_request']);
    expect(problemsOf('sum by (code, jobs) (rate(gateway_requests_total{staus="1"}[5m]))')).toEqual([
      'gateway_requests_total has no label staus',
      'no series of gateway_requests_total matches',
      'none of gateway_requests_total has a label jobs',
    ]);
    expect(
      problemsOf('gateway_requests_total{code=~"overloaded|unknown"} * on (route) gateway_info'),
    ).toEqual(['code is never unknown']);
    expect(problemsOf('gateway_allowance_usd{state!~"spare|reserved"}')).toEqual([
      'no series of gateway_allowance_usd matches',
    ]);
    expect(() => problemsOf('sum(rate(')).toThrow('no PromQL from character');
  });
});
