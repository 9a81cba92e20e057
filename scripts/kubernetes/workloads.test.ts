import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type IContainer, type IPodSpec, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { connectionSettings } from '../../packages/cli/src/connection-settings.ts';
import { CLOSE_LOGS_MS } from '../../packages/service-kit/src/index.ts';
import { catalogSettings, maxStopMs as catalogStopMs } from '../../services/catalog/src/index.ts';
import {
  controlPlaneSettings,
  maxStopMs as controlPlaneStopMs,
  overdrawnBudget,
  parseControlPlaneConfig,
} from '../../services/control-plane/src/index.ts';
import { dashboardSettings, maxStopMs as dashboardStopMs } from '../../services/dashboard/src/index.ts';
import {
  dataPlaneSettings,
  maxStopMs as dataPlaneStopMs,
  parseDataPlaneConfig,
} from '../../services/data-plane/src/index.ts';
import { containerEnvironment } from './container-environment.ts';
import { mayConnect } from './may-connect.ts';
import { MANIFEST_FILES, readKustomization, readManifests } from './read-manifests.ts';

const SERVICES = [
  ['data-plane', dataPlaneSettings(true)],
  ['control-plane', controlPlaneSettings(true)],
  ['catalog', catalogSettings(true)],
  ['dashboard', dashboardSettings(true)],
] as const;
const NAMES = SERVICES.map(([name]) => name);
/** Maximum time that each service takes to stop. */
const STOP_MS: Record<(typeof NAMES)[number], (environment: Record<string, string>) => number> = {
  'data-plane': (environment) => dataPlaneStopMs(parseDataPlaneConfig(environment)),
  'control-plane': controlPlaneStopMs,
  catalog: catalogStopMs,
  dashboard: dashboardStopMs,
};
/** What a grace period needs beyond DRAIN_TIMEOUT_MS and, in Kubernetes, the pre-stop wait. */
const DOCUMENTED_EXTRA_SECONDS = 25;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const compose = z
  .object({ services: z.record(z.string(), z.looseObject({ stop_grace_period: z.string().optional() })) })
  .parse(parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }));
/** Returns the grace period of a container, by default of its setting. */
const composeGraceSeconds = (container: string) =>
  Number(/(\d+)s\}?$/.exec(compose.services[container]?.stop_grace_period ?? '')?.[1]);

const manifests: readonly unknown[] = MANIFEST_FILES.flatMap(readManifests);
const policies = manifests.filter(NetworkPolicy.is);
const jobs = manifests.filter(Job.is);

const deploymentOf = (name: string) => named(manifests.filter(Deployment.is), name);
const serviceOf = (name: string) => named(manifests.filter(Service.is), name);
const podOf = (name: string): IPodSpec => deploymentOf(name).spec?.template.spec ?? { containers: [] };
const labelsOf = (name: string) => deploymentOf(name).spec?.template.metadata?.labels ?? {};
const mainOf = ({ containers: [main] }: IPodSpec): IContainer => main ?? { name: 'none' };

function named<Kind extends { metadata?: { name?: string } }>(all: readonly Kind[], name: string): Kind {
  const found = all.find(({ metadata }) => metadata?.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

it('all control planes and a surge fit into the default connections of Postgres', () => {
  const { spec } = named(manifests.filter(HorizontalPodAutoscaler.is), 'control-plane');
  const environment = containerEnvironment(mainOf(podOf('control-plane')));
  const config = parseControlPlaneConfig(environment);
  const surge = Number(deploymentOf('control-plane').spec?.strategy?.rollingUpdate?.maxSurge);
  expect(config.maxControlPlanes).toBe((spec?.maxReplicas ?? 0) + surge);
  expect(overdrawnBudget({ allowed: 97, setBy: 'max_connections' }, config)).toBeUndefined();
});

describe('the CPU requests of the minimum replicas', () => {
  const cores = (quantity: unknown) =>
    String(quantity).endsWith('m') ? Number.parseInt(String(quantity), 10) / 1_000 : Number(quantity);
  const readme = readFileSync(join(ROOT, 'deploy/kubernetes/README.md'), 'utf8');
  const minReplicasOf = (name: string) =>
    named(manifests.filter(HorizontalPodAutoscaler.is), name).spec?.minReplicas ?? 0;
  const sum = (of: (name: (typeof NAMES)[number]) => number) =>
    NAMES.reduce((all, name) => all + of(name), 0);

  it('add up to the cores in the README', () => {
    const total = sum((name) => minReplicasOf(name) * cores(mainOf(podOf(name)).resources?.requests?.cpu));
    expect(readme).toContain(`request ${total} cores`);
  });

  it('match the replicas that the README scales to', () => {
    const [, install = ''] = /^## Install\n(.*?)^## /ms.exec(readme) ?? [];
    const scaled = [...install.matchAll(/scale --replicas (\d+) (.*)/g)].flatMap(([, replicas, names = '']) =>
      names.split(' ').map((name) => [name.replace('deployment/', ''), Number(replicas)]),
    );
    expect(scaled.sort()).toEqual(NAMES.map((name) => [name, minReplicasOf(name)]).sort());
  });

  it('of a small cluster add up to the cores in the README, and cover every service', () => {
    const { patches } = readKustomization('components/small-cluster');
    const patched = (kind: string, name: string, path: string) =>
      patches
        .filter(({ target }) => target.kind === kind && new RegExp(`^${target.name}$`).test(name))
        .flatMap(({ patch }) => patch)
        .find((operation) => operation.path === path)?.value;
    const requests = z.object({ cpu: z.string() });
    const path = '/spec/template/spec/containers/0/resources/requests';
    const total = sum((name) => {
      const min = patched('HorizontalPodAutoscaler', name, '/spec/minReplicas') ?? minReplicasOf(name);
      return Number(min) * cores(requests.parse(patched('Deployment', name, path)).cpu);
    });
    expect(readme).toContain(`which requests ${total.toFixed(1)}`);
    // A percentage of such small requests would add pods for ordinary load.
    for (const name of NAMES)
      expect([
        name,
        patched('HorizontalPodAutoscaler', name, '/spec/metrics/0/resource/target'),
      ]).toMatchObject([name, { type: 'AverageValue' }]);
  });
});

describe.each(SERVICES)('%s', (name, schema) => {
  const pod = podOf(name);
  const main = mainOf(pod);
  const environment = containerEnvironment(main);
  const settings = schema.safeParse(environment);
  const port = Number(settings.data?.PORT);
  const internalPort = Number(settings.data?.INTERNAL_PORT);
  const admin = name === 'control-plane' ? [{ name: 'admin', containerPort: 8091 }] : [];

  it('has every setting that production requires, and no unknown one', () => {
    expect(settings.error?.issues ?? []).toEqual([]);
    expect(settings.data?.NODE_ENV).toBe('production');
    expect(Object.keys(environment).filter((each) => !(each in schema.shape))).toEqual([]);
  });

  it('has probes on its internal port', () => {
    expect(main.ports).toEqual([
      { name: expect.any(String), containerPort: port },
      { name: 'internal', containerPort: internalPort },
      ...admin,
    ]);
    expect(main.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'internal' });
    for (const probe of [main.startupProbe, main.livenessProbe])
      expect(probe?.httpGet).toEqual({ path: '/health', port: 'internal' });
  });

  it('is reached through a Service on all of its ports', () => {
    const { spec } = serviceOf(name);
    expect(spec?.selector).toEqual(labelsOf(name));
    expect(spec?.ports?.map((each) => [each.port, each.targetPort])).toEqual([
      [port, main.ports?.[0]?.name],
      [internalPort, 'internal'],
      ...admin.map(({ containerPort, name: of }) => [containerPort, of]),
    ]);
  });

  it('is scaled only by an autoscaler, and keeps a replica while nodes drain', () => {
    expect(deploymentOf(name).spec?.replicas).toBeUndefined();
    const { spec } = named(manifests.filter(HorizontalPodAutoscaler.is), name);
    expect(spec?.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name });
    expect(spec?.minReplicas).toBeGreaterThanOrEqual(2);
    expect(main.resources?.requests?.cpu).toBeDefined();
    const budget = named(manifests.filter(PodDisruptionBudget.is), name).spec;
    expect(budget).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } });
    if (environment.EXPECTED_REPLICAS === undefined) return;
    expect(Number(environment.EXPECTED_REPLICAS)).toBeGreaterThanOrEqual(spec?.minReplicas ?? 0);
    expect(Number(environment.EXPECTED_REPLICAS)).toBeLessThanOrEqual(spec?.maxReplicas ?? 0);
  });

  it('spreads over zones and nodes', () => {
    expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const { labelSelector } of pod.topologySpreadConstraints ?? [])
      expect(labelSelector).toEqual({ matchLabels: labelsOf(name) });
  });

  it('is allowed to connect to every service in its settings', () => {
    const targets = Object.values(environment)
      .flatMap((value) => [...value.matchAll(/(?:^|\/\/)([a-z-]+):(\d+)$/g)])
      .flatMap(([, host, at]) =>
        NAMES.filter((each) => each === host).map((each) => [each, Number(at)] as const),
      );
    for (const [host, at] of targets) {
      expect(mainOf(podOf(host)).ports?.map(({ containerPort }) => containerPort)).toContain(at);
      expect([host, mayConnect(policies, labelsOf(name), labelsOf(host), at)]).toEqual([host, true]);
    }
    expect(targets.length > 0).toBe(name !== 'control-plane');
  });
});

describe('the grace period', () => {
  /** Seconds, by the code's own limits: notice, drain, settlement, last log lines. */
  const stopSeconds = (name: (typeof NAMES)[number], environment: Record<string, string>) =>
    (STOP_MS[name](environment) + CLOSE_LOGS_MS) / 1_000;

  it.each(NAMES)('of %s is long enough in Kubernetes, after the pre-stop wait', (name) => {
    const pod = podOf(name);
    const main = mainOf(pod);
    const preStop = main.lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(preStop).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      preStop + stopSeconds(name, containerEnvironment(main)),
    );
  });

  it.each([
    ['data-plane', 'data-plane'],
    ['control-plane-1', 'control-plane'],
    ['control-plane-2', 'control-plane'],
    ['catalog', 'catalog'],
    ['dashboard', 'dashboard'],
  ] as const)('of %s is long enough with docker compose', (container, name) => {
    const grace = composeGraceSeconds(container);
    expect(grace).toBeGreaterThanOrEqual(stopSeconds(name, containerEnvironment(mainOf(podOf(name)))));
  });

  it('exceeds DRAIN_TIMEOUT_MS by no more than the documents say', () => {
    const environment = containerEnvironment(mainOf(podOf('data-plane')));
    for (const drainMs of [1_000, 30_000, 600_000]) {
      const seconds = stopSeconds('data-plane', { ...environment, DRAIN_TIMEOUT_MS: String(drainMs) });
      expect(seconds - drainMs / 1_000).toBeLessThanOrEqual(DOCUMENTED_EXTRA_SECONDS);
    }
    for (const document of ['deploy/README.md', 'deploy/kubernetes/README.md'])
      expect(readFileSync(join(ROOT, document), 'utf8')).toContain(`${DOCUMENTED_EXTRA_SECONDS} s longer`);
  });
});

it('an init container migrates the database of the control plane', () => {
  const pod = podOf('control-plane');
  const [migrate] = pod.initContainers ?? [];
  if (migrate === undefined) throw new Error('no migrations');
  expect(migrate.image).toMatch(/\/migrate:/);
  const { DATABASE_URL } = containerEnvironment(mainOf(pod));
  expect(containerEnvironment(migrate)).toEqual({ NODE_ENV: 'production', DATABASE_URL });
});

it('the Job that applies the catalog reaches the control plane', () => {
  const { spec } = named(jobs, 'apply-catalog');
  const { server } = connectionSettings(
    {},
    containerEnvironment(mainOf(podOfJob('apply-catalog'))),
    undefined,
  );
  expect(server).toMatchObject({ by: 'grpc', addresses: ['control-plane:50051'] });
  const labels = spec?.template.metadata?.labels ?? {};
  expect(mayConnect(policies, labels, labelsOf('control-plane'), 50_051)).toBe(true);
});

it('a service cannot connect to services that it does not use', () => {
  const refused = [
    ['catalog', 'data-plane', 8080],
    ['catalog', 'dashboard', 8090],
    ['data-plane', 'dashboard', 8090],
    ['control-plane', 'data-plane', 8080],
    ['data-plane', 'control-plane', 9051],
    ['dashboard', 'data-plane', 9080],
  ] as const;
  for (const [from, to, port] of refused)
    expect([from, to, mayConnect(policies, labelsOf(from), labelsOf(to), port)]).toEqual([from, to, false]);
});

describe.each([
  ...NAMES.map((name) => [name, podOf(name)] as const),
  ...jobs.map(({ metadata }) => [metadata?.name ?? '', podOfJob(metadata?.name ?? '')] as const),
])('a pod of %s', (_name, pod) => {
  it('runs unprivileged on a read-only file system without a token of the cluster', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { resources, securityContext } of [...pod.containers, ...(pod.initContainers ?? [])]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });
});

describe('routes from outside', () => {
  const rules = named(manifests.filter(HTTPRoute.is), 'api').spec?.rules ?? [];

  it('lead to ports of Services', () => {
    const routed = [
      ...manifests
        .filter(HTTPRoute.is)
        .flatMap(({ spec }) => spec?.rules ?? [])
        .flatMap(({ backendRefs }) => backendRefs ?? []),
      ...manifests
        .filter(Ingress.is)
        .flatMap(({ spec }) => spec?.rules ?? [])
        .flatMap(({ http }) => http?.paths ?? [])
        .map(({ backend }) => ({ name: backend.service?.name ?? '', port: backend.service?.port?.name })),
    ];
    expect(routed).toHaveLength(6);
    for (const { name, port } of routed) {
      const ports = serviceOf(name).spec?.ports?.flatMap((each) => [each.port, each.name]) ?? [];
      expect(ports).toContain(port);
    }
  });

  it('send anonymous public reads to the catalog, everything else to the data plane', () => {
    const backendOf = (path: string, headers: readonly string[] = [], method = 'GET') =>
      rules.find(({ matches = [] }) =>
        matches.some(
          (match) =>
            (match.path?.type === 'Exact'
              ? path === match.path.value
              : isBelow(path, match.path?.value ?? '')) &&
            (match.method ?? method) === method &&
            (match.headers ?? []).every(({ name }) => headers.includes(name)),
        ),
      )?.backendRefs?.[0]?.name;
    for (const path of [
      '/v1/models',
      '/v1/models/acme/small',
      '/v1/status',
      '/v1/status/models',
      '/openapi.json',
      '/docs',
      '/docs/guide/start.html',
    ])
      expect([path, backendOf(path)]).toEqual([path, 'catalog']);
    expect(backendOf('/v1/models', ['authorization'])).toBe('data-plane');
    expect(backendOf('/v1/modelsx')).toBe('data-plane');
    expect(backendOf('/v1/models', [], 'POST')).toBe('data-plane');
    for (const path of ['/v1/chat/completions', '/v1/usage', '/health', '/'])
      expect([path, backendOf(path, ['authorization'])]).toEqual([path, 'data-plane']);
  });
});

function podOfJob(name: string): IPodSpec {
  return named(jobs, name).spec?.template.spec ?? { containers: [] };
}

/** Matches a path prefix by whole segments, as the Gateway API does. */
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
