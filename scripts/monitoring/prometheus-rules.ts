import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

export const RULES_FILE = 'deploy/monitoring/rules/model-gateway.yaml';
export const MANIFEST_FILE = 'deploy/kubernetes/components/monitoring/prometheus-rule.yaml';

const recordingRule = z.strictObject({
  record: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  expr: z.string(),
});
const alertingRule = z.strictObject({
  alert: z.string(),
  for: z.string().regex(/^\d+m$/),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  expr: z.string(),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook: z.string() }),
});
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({ name: z.string(), rules: z.array(z.union([recordingRule, alertingRule])) }),
  ),
});

/** Reads the Prometheus rules. @throws ZodError for missing or unknown members */
export function readRules() {
  const rules = ruleFile.parse(parse(readText())).groups.flatMap((group) => group.rules);
  return {
    all: rules,
    records: rules.flatMap((rule) => ('record' in rule ? [rule] : [])),
    alerts: rules.flatMap((rule) => ('alert' in rule ? [rule] : [])),
  };
}

/** Returns the same rules as a manifest for the Prometheus operator. */
export function rulesManifest(): string {
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'model-gateway', labels: { 'app.kubernetes.io/part-of': 'model-gateway' } },
    spec: parse(readText()) as unknown,
  };
  return `# Made from ${RULES_FILE}: npm run monitoring\n${stringify(manifest)}`;
}

function readText(): string {
  return readFileSync(new URL(`../../${RULES_FILE}`, import.meta.url), 'utf8');
}
