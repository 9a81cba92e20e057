import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasProgram } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ERROR_CODES } from '../../packages/shared/src/index.ts';
import { whatIsMissing } from '../documents/pages.ts';
import { panels, templating } from './grafana-dashboard.ts';
import { MANIFEST_FILE, RULES_FILE, readRules, rulesManifest } from './prometheus-rules.ts';
import { parsePromql } from './promql.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const { alerts, records } = readRules();

it('the manifest for Kubernetes has the rules of Prometheus', () => {
  expect(readFileSync(`${ROOT}${MANIFEST_FILE}`, 'utf8'), 'run `npm run monitoring`').toBe(rulesManifest());
});

describe('the rules', () => {
  it('count every error code for one cause', () => {
    const counted = records
      .filter(({ record }) => record === 'gateway:errors:rate5m')
      .flatMap(({ expr }) => parsePromql(expr).selectors)
      .flatMap(({ matchers }) => matchers.flatMap(({ value }) => value.split('|')));
    expect(counted.sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s says in the documents what to do',
    (name, { annotations }) => {
      expect(annotations.runbook).toBe(`docs/operations.md#${name.toLowerCase()}`);
      expect(whatIsMissing('README.md', annotations.runbook)).toBeUndefined();
      // Fits a phone's screen.
      expect(annotations.summary.length).toBeLessThan(100);
      expect(annotations.description.length).toBeLessThan(450);
    },
  );

  it('are few, and every record is used', () => {
    expect(alerts.length).toBeLessThanOrEqual(15);
    const uses = [
      ...[...alerts, ...records].map(({ expr }) => expr),
      ...panels.map((panel) => JSON.stringify(panel)),
    ].join('\n');
    expect(records.map(({ record }) => record).filter((record) => !uses.includes(record))).toEqual([]);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.skipIf(!hasProgram('promtool'))('are valid, and pass the tests of promtool', () => {
    const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: ROOT, encoding: 'utf8' });
    expect(promtool('check', 'rules', RULES_FILE)).toContain(`${alerts.length + records.length} rules found`);
    const tests = 'deploy/monitoring/tests/model-gateway.yaml';
    expect(promtool('test', 'rules', tests)).toContain('SUCCESS');
    // Each alert is expected to fire somewhere.
    const expected = readFileSync(`${ROOT}${tests}`, 'utf8');
    const untested = alerts.filter(({ alert }) => !expected.includes(`ALERTS{alertname="${alert}"`));
    expect(untested.map(({ alert }) => alert)).toEqual([]);
  });
});

it.skipIf(!hasProgram('kubectl'))('the component for Kubernetes has the rules and the dashboard', () => {
  const folder = 'deploy/kubernetes/components/monitoring';
  const made = execFileSync('kubectl', ['kustomize', folder], { cwd: ROOT, encoding: 'utf8' });
  const [dashboards, rules] = parseAllDocuments(made).map((document) => document.toJS());
  expect(rules).toMatchObject({
    kind: 'PrometheusRule',
    spec: parse(readFileSync(`${ROOT}${RULES_FILE}`, 'utf8')),
  });
  const file = 'model-gateway.json';
  expect(dashboards).toMatchObject({
    kind: 'ConfigMap',
    metadata: { name: 'model-gateway-dashboard', labels: { grafana_dashboard: '1' } },
    data: { [file]: readFileSync(`${ROOT}deploy/monitoring/grafana/${file}`, 'utf8') },
  });
});

describe('the dashboard', () => {
  const shown = panels.filter(({ type }) => type !== 'row');

  it('describes every panel and its unit', () => {
    expect(shown.length).toBeGreaterThan(30);
    for (const panel of shown) {
      expect(panel).toMatchObject({
        title: expect.stringMatching(/.+/),
        description: expect.stringMatching(/\.$/),
        fieldConfig: { defaults: { unit: expect.stringMatching(/.+/) } },
        datasource: { uid: '$datasource' },
      });
    }
    expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length);
  });

  it('has a row per subject, and no overlapping panels', () => {
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual([
      ...['Overview', 'Errors by cause', 'Added latency', 'Limits', 'Settlement', 'Allowances'],
      ...['Watches and keys', 'Providers', 'Money', 'Processes', 'Webhooks'],
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('uses the chosen Prometheus and providers', () => {
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['provider', 'query'],
    ]);
  });
});
