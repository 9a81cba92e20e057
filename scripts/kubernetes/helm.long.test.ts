import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { manifestProblems } from './manifest-problems.ts';
import { KUBERNETES, type Manifest, readKustomization } from './read-manifests.ts';
import { canRender, parseObjects, render } from './render.ts';

const CHART = fileURLToPath(new URL('../../deploy/helm/', import.meta.url));
const VARIANTS = [
  { what: 'the example', components: ['gateway-api'], values: [] },
  {
    what: 'an ingress',
    components: ['ingress'],
    values: ['gatewayApi.enabled=false', 'ingress.enabled=true'],
  },
  { what: 'mutual TLS', components: ['gateway-api', 'grpc-tls'], values: ['grpcTls.enabled=true'] },
  {
    what: 'the Prometheus operator',
    components: ['gateway-api', 'service-monitor'],
    values: ['serviceMonitor.enabled=true'],
  },
  {
    what: 'alerts and a dashboard',
    components: ['gateway-api', 'monitoring'],
    values: ['monitoring.enabled=true'],
  },
] as const;

/** Helm built from its Go module assumes a very old cluster. */
const KUBE_VERSION = ['--kube-version', '1.34'];

/** Labels that only Helm sets. */
const HELM_LABELS = ['app.kubernetes.io/managed-by', 'helm.sh/chart'];
/** Kustomize adds a hash to generated names, also where they are used. */
const GENERATED = /\b(model-gateway|catalog|settings)-[a-z0-9]{10}\b/g;

const pod = z.object({
  replicas: z.number().optional(),
  template: z.object({
    spec: z.object({
      terminationGracePeriodSeconds: z.number(),
      containers: z.tuple([
        z.object({ env: z.array(z.object({ name: z.string(), value: z.string().optional() })) }),
      ]),
    }),
  }),
});

/** Returns an object without what kustomize and Helm add in their own ways. */
function comparable(object: Manifest): Manifest {
  const copy: unknown = JSON.parse(JSON.stringify(object).replaceAll(GENERATED, '$1'), (key, value) =>
    // A restart when the settings change: by the hash of the name, or by an annotation.
    key === 'annotations' && Object.keys(value).every((name) => /^(checksum|helm\.sh)\//.test(name))
      ? undefined
      : value,
  );
  const { metadata, ...rest } = z.looseObject({ metadata: z.looseObject({}) }).parse(copy);
  const { namespace: _, labels, ...named } = metadata;
  const kept = Object.entries(labels ?? {}).filter(([name]) => !HELM_LABELS.includes(name));
  return {
    ...object,
    ...rest,
    metadata: {
      ...object.metadata,
      ...named,
      labels: Object.fromEntries(kept),
      namespace: undefined,
      annotations: named.annotations,
    },
  };
}

function byName(objects: readonly Manifest[]): Record<string, Manifest> {
  const named = objects.map((object) => comparable(object));
  return Object.fromEntries(
    named.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const).sort(),
  );
}

function charted(values: readonly string[], files: readonly string[] = []): Manifest[] {
  const given = [
    ...values.flatMap((value) => ['--set', value]),
    ...files.flatMap((file) => ['--set-file', file]),
  ];
  return parseObjects(render('helm', ['template', 'gateway', CHART, ...KUBE_VERSION, ...given]));
}

describe.skipIf(!canRender())('the Helm chart (needs helm and kustomize, or Go)', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-helm-'));
    // Its components read alerts and dashboards from there.
    cpSync(KUBERNETES, join(folder, 'kubernetes'), { recursive: true });
    cpSync(join(KUBERNETES, '../monitoring'), join(folder, 'monitoring'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(VARIANTS)('makes the same objects as kustomize: $what', ({ components, values }) => {
    const file = join(folder, 'kubernetes/example/kustomization.yaml');
    const example: unknown = parse(readFileSync(file, 'utf8'));
    const paths = components.map((name) => `../components/${name}`);
    writeFileSync(file, stringify({ ...z.looseObject({}).parse(example), components: paths }));
    const expected = byName(parseObjects(render('kustomize', ['build', join(folder, 'kubernetes/example')])));

    const found = byName(charted(['gatewayApi.namespace=gateways', ...values]));
    expect(Object.keys(found)).toEqual(Object.keys(expected));
    expect(found).toEqual(expected);
  });

  it('makes the Job that applies a catalog, with the same file', () => {
    const catalog = join(KUBERNETES, 'catalog/catalog.yaml');
    const expected = byName(parseObjects(render('kustomize', ['build', join(KUBERNETES, 'catalog')])));
    const found = byName(charted([], [`applyCatalog.file=${catalog}`]));
    for (const [name, object] of Object.entries(expected)) expect(found[name]).toEqual(object);
    expect(Object.keys(expected)).toHaveLength(2);
  });

  it('makes what the schemas of Kubernetes allow, whatever is on', () => {
    const all = charted([
      ...['ingress', 'grpcTls', 'serviceMonitor', 'monitoring'].map((each) => `${each}.enabled=true`),
      'image.pullSecrets={registry}',
      'dataPlane.nodeSelector.disk=fast',
      'dataPlane.podLabels.azure\\.workload\\.identity/use=yes',
      'dataPlane.serviceAccountName=vertex',
      'dataPlane.env[0].name=LOG_LEVEL',
      'dataPlane.env[0].value=warn',
    ]);
    const known = all.filter(({ kind }) => kind !== 'ConfigMap');
    const problems = known.flatMap((object) =>
      manifestProblems(object).map((problem) => `${object.kind} ${object.metadata.name}: ${problem}`),
    );
    expect(problems).toEqual([]);
    expect(JSON.stringify(all)).toContain('{"name":"LOG_LEVEL","value":"warn"}');
  });

  it('keeps together what belongs together: replicas, grace period, connections', () => {
    const objects = byName(
      charted(['dataPlane.minReplicas=5', 'dataPlane.drainSeconds=120', 'controlPlane.maxReplicas=9']),
    );
    const base = byName(charted([]));
    const of = (all: Record<string, Manifest>, name: string) => pod.parse(all[`Deployment ${name}`]?.spec);
    const setting = (name: string, variable: string) =>
      of(objects, name).template.spec.containers[0].env.find((each) => each.name === variable)?.value;
    expect(setting('data-plane', 'EXPECTED_REPLICAS')).toBe('5');
    expect(setting('data-plane', 'DRAIN_TIMEOUT_MS')).toBe('120000');
    expect(of(objects, 'data-plane').template.spec.terminationGracePeriodSeconds).toBe(
      of(base, 'data-plane').template.spec.terminationGracePeriodSeconds + 90,
    );
    expect(setting('control-plane', 'MAX_CONTROL_PLANES')).toBe('10');
    expect(objects['HorizontalPodAutoscaler control-plane']).toMatchObject({ spec: { maxReplicas: 9 } });
    // Where Helm sees no cluster, the number is the autoscaler's.
    expect(of(objects, 'data-plane').replicas).toBeUndefined();
  });

  it.each([
    ['dataPlane.maxReplicas=2', 'data-plane: maxReplicas is 2, which is less than minReplicas, 3'],
    ['config.publicUrl=http://dashboard.example.com', 'publicUrl'],
    ['config.apiBaseUrl=', 'apiBaseUrl'],
    ['dataPlane.replicas=3', "additional properties 'replicas' not allowed"],
    ['controlPlane.databaseConnections=2', 'databaseConnections'],
  ])('refuses %s, and says why', (value, message) => {
    expect(() => charted([value])).toThrow(message);
  });

  it('passes the strict lint', () => {
    expect(render('helm', ['lint', '--strict', CHART, ...KUBE_VERSION])).toContain(
      '1 chart(s) linted, 0 chart(s) failed',
    );
  });

  it('has every image of the base', () => {
    const images = new Set(JSON.stringify(charted([])).match(/"image":"[^"]+"/g));
    const names = readKustomization('example').images.map(
      ({ newName, newTag }) => `"image":"${newName}:${newTag}"`,
    );
    expect([...images].sort()).toEqual(names.sort());
  });
});
