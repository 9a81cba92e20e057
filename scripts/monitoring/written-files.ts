import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { dashboard } from './dashboard/dashboard.ts';
import { RULES_FILE } from './rules.ts';

/** Builds the files from rules and dashboard sources, by path from the top of the repository. */
export function monitoringFiles(): Record<string, string> {
  const rules: unknown = parse(readFileSync(new URL(`../../${RULES_FILE}`, import.meta.url), 'utf8'));
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'model-gateway', labels: { 'app.kubernetes.io/part-of': 'model-gateway' } },
    spec: rules,
  };
  return {
    'deploy/monitoring/grafana/model-gateway.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
    'deploy/kubernetes/components/monitoring/prometheus-rule.yaml': `# Made from ${RULES_FILE}: npm run monitoring\n${stringify(manifest)}`,
  };
}
