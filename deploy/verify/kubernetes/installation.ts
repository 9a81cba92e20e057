import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cluster } from './cluster.ts';
import { createSecret, randomSecret } from './create-secret.ts';
import { FAILOVER_DATABASES, failoverDatabases, REDIS_CLUSTER_NODES } from './failover-databases.ts';
import { IMAGES, type Images, imageName } from './images.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMESPACE = 'model-gateway-verify';
const ROLLOUT_TIMEOUT = '5m';
const CATALOG_MS = 300_000;

/** CPU of a data plane above which another one is added: so low that a test can reach it. */
const SCALING_CPU = '40m';
/** Faster than the base, which waits minutes. */
const SCALE_DOWN = {
  stabilizationWindowSeconds: 15,
  policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }],
};

/** Folder of the certificate in the pod of gatewayctl. */
const TLS_FOLDER = '/etc/model-gateway/tls';
const TLS_ENVIRONMENT = Object.entries({ CA: 'ca.crt', CERT: 'tls.crt', KEY: 'tls.key' }).map(
  ([name, file]) => `GRPC_TLS_${name}=${TLS_FOLDER}/${file}`,
);
/** Maximum time until a new Secret reaches a running pod. */
const CERTIFICATE_MS = 180_000;

/** An installation in its own namespace, as deploy/kubernetes/README.md describes. */
export class Installation {
  readonly gateway: Cluster;
  /** The namespace of clients. Its label lets network policies treat it as the load balancer's. */
  readonly clients: Cluster;
  #gatewayctlEnvironment: readonly string[] = [];
  /** The copy of the repository whose manifests are applied. */
  #source = ROOT;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-verify-'));

  constructor(signal: AbortSignal) {
    this.gateway = new Cluster(NAMESPACE, signal);
    this.clients = new Cluster(`${NAMESPACE}-clients`, signal);
  }

  /**
   * Creates the namespaces, Postgres, Redis, a provider, and a pod that sends requests.
   * @param withFailover true for a Postgres with a standby and a Redis Cluster
   */
  async prepare(images: Images, { withFailover = false } = {}): Promise<void> {
    const { gateway, clients } = this;
    for (const { namespace } of [gateway, clients]) await gateway.kubectl('create', 'namespace', namespace);
    await gateway.kubectl('label', 'namespace', clients.namespace, 'model-gateway/role=load-balancer');

    const password = randomSecret();
    await createSecret(gateway, 'postgres', { POSTGRES_PASSWORD: password });
    await createSecret(gateway, 'model-gateway', {
      DATABASE_URL: `postgresql://postgres:${password}@postgres:5432/gateway`,
      REDIS_URL: (withFailover ? REDIS_CLUSTER_NODES : ['redis:6379'])
        .map((node) => `redis://${node}`)
        .join(','),
      INTERNAL_TOKEN: randomSecret(),
      ADMIN_TOKEN: randomSecret(),
      API_KEY_LOOKUP_PEPPER: randomSecret(),
      SESSION_SECRET: randomSecret(),
    });
    await createSecret(gateway, 'provider-credentials', { OPENAI_API_KEY: 'none' });

    cpSync(join(HERE, 'backing'), join(this.#folder, 'backing'), { recursive: true });
    await this.#apply('backing-here', { resources: ['../backing'], images: renamed(images) });
    if (withFailover) await this.#applyFailoverDatabases();
    else await this.#apply('databases-here', { resources: ['../backing/databases'] });
    await gateway.kubectl('rollout', 'status', 'deployment', '--timeout', ROLLOUT_TIMEOUT);

    const files = ['load.ts', 'run-load.ts'].map(
      (file) => `--from-file=${join(ROOT, 'deploy/verify', file)}`,
    );
    await clients.kubectl('create', 'configmap', 'load', ...files);
    const client = readFileSync(join(HERE, 'client.yaml'), 'utf8');
    const file = this.write('client.yaml', client.replace('CLIENT_IMAGE', imageName(images, 'gatewayctl')));
    await clients.kubectl('apply', '--filename', file);
    await clients.kubectl('wait', 'pod/client', '--for=condition=Ready', '--timeout', ROLLOUT_TIMEOUT);
    await gateway.kubectl('wait', 'pod/gatewayctl', '--for=condition=Ready', '--timeout', ROLLOUT_TIMEOUT);
  }

  async #applyFailoverDatabases(): Promise<void> {
    const { gateway } = this;
    for (const name of FAILOVER_DATABASES)
      cpSync(join(ROOT, 'deploy/kubernetes', name), join(this.#folder, name), { recursive: true });
    await this.#apply('databases-here', await failoverDatabases(gateway));
    await gateway.kubectl('rollout', 'status', 'statefulset/redis-cluster', '--timeout', ROLLOUT_TIMEOUT);
    await gateway.kubectl('wait', 'pod/postgres-0', '--for=condition=Ready', '--timeout', ROLLOUT_TIMEOUT);
  }

  /**
   * Applies the base with `small-cluster`, and waits until it runs.
   * @param source the copy of the repository whose deploy/kubernetes is applied; default: this one
   */
  async install(images: Images, { source = ROOT, components = [] as readonly string[] } = {}): Promise<void> {
    this.#source = source;
    const copy = join(this.#folder, 'kubernetes');
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(source, 'deploy/kubernetes'), copy, { recursive: true });
    // The previous release may lack it.
    cpSync(join(ROOT, 'deploy/kubernetes/components/small-cluster'), join(copy, 'components/small-cluster'), {
      recursive: true,
    });
    const literals = [
      'API_BASE_URL=https://api.verify.example',
      'PUBLIC_URL=https://dashboard.verify.example',
      'TRUST_PROXY=1',
    ];
    await this.#apply('kubernetes/verify', {
      resources: ['../base'],
      components: ['small-cluster', ...components].map((name) => `../components/${name}`),
      configMapGenerator: [{ name: 'model-gateway', literals }],
      images: renamed(images),
      patches: [
        {
          // Every complete paid response must be on record, whatever is killed.
          target: { kind: 'Deployment', name: 'data-plane' },
          patch: JSON.stringify([
            {
              op: 'add',
              path: '/spec/template/spec/containers/0/env/-',
              value: { name: 'SETTLEMENT', value: 'acknowledged' },
            },
          ]),
        },
        {
          target: { kind: 'HorizontalPodAutoscaler', name: 'data-plane' },
          patch: JSON.stringify([
            { op: 'replace', path: '/spec/metrics/0/resource/target/averageValue', value: SCALING_CPU },
            { op: 'replace', path: '/spec/behavior/scaleDown', value: SCALE_DOWN },
          ]),
        },
      ],
    });
    await this.rolledOut();
  }

  async rolledOut(): Promise<void> {
    const part = ['--selector', 'app.kubernetes.io/part-of=model-gateway'];
    await this.gateway.kubectl('rollout', 'status', 'deployment', ...part, '--timeout', ROLLOUT_TIMEOUT);
  }

  /** Applies the simulated provider's catalog with the Job of deploy/kubernetes/catalog. */
  async applyCatalog(images: Images): Promise<string> {
    const { gateway } = this;
    const copy = join(this.#folder, 'kubernetes/catalog');
    const catalog = readFileSync(join(this.#source, 'deploy/catalogs/simulated.yaml'), 'utf8');
    const here = catalog.replaceAll('http://127.0.0.1:8082', 'http://simulated-provider:8082');
    writeFileSync(join(copy, 'catalog.yaml'), here);
    await gateway.kubectl('delete', 'job', 'apply-catalog', '--ignore-not-found');
    await this.#apply('kubernetes/catalog', {
      resources: ['apply-catalog.yaml'],
      configMapGenerator: [{ name: 'catalog', files: ['catalog.yaml'] }],
      images: renamed(images),
    });
    const state = ['get', 'job', 'apply-catalog', '--output', 'jsonpath={.status.conditions[*].type}'];
    let ended = '';
    await gateway.until('the Job apply-catalog ended', CATALOG_MS, async () => {
      ended = await gateway.kubectl(...state);
      return /Complete|Failed/.test(ended);
    });
    const log = await gateway.kubectl('logs', 'job/apply-catalog');
    if (ended.includes('Failed')) throw new Error(`the Job apply-catalog failed: ${log}`);
    return log;
  }

  /** Writes a kustomization into a temporary folder, and applies it. */
  async #apply(folder: string, kustomization: Record<string, unknown>): Promise<void> {
    const path = join(this.#folder, folder);
    mkdirSync(path, { recursive: true });
    // JSON is YAML.
    const text = JSON.stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: this.gateway.namespace,
      ...kustomization,
    });
    writeFileSync(join(path, 'kustomization.yaml'), text);
    await this.gateway.kubectl('apply', '--kustomize', path);
  }

  /** Runs a command of gatewayctl in the cluster. @returns the JSON that it prints. @throws when it fails */
  async gatewayctl(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.gatewayctlText('--json', ...args));
  }

  /** As `gatewayctl`, for commands that print text. */
  gatewayctlText(...args: string[]): Promise<string> {
    const program = ['env', ...this.#gatewayctlEnvironment, 'node', 'packages/cli/src/main.ts'];
    return this.gateway.kubectl('exec', 'gatewayctl', '--', ...program, ...args);
  }

  /** Waits until gatewayctl's pod has the certificate, and uses it from then on. */
  async useCertificate(): Promise<void> {
    await this.gateway.until('the certificate in the pod', CERTIFICATE_MS, async () => {
      const found = await this.gateway.tryKubectl('exec', 'gatewayctl', '--', 'ls', `${TLS_FOLDER}/tls.crt`);
      return found.code === 0;
    });
    this.#gatewayctlEnvironment = TLS_ENVIRONMENT;
  }

  /** Returns a path for a temporary file. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Writes a temporary file. @returns its path */
  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** Creates a temporary folder. @returns its path */
  folder(name: string): string {
    mkdirSync(this.path(name));
    return this.path(name);
  }

  /** Removes the installation, or that of an earlier run that was killed. */
  async remove(): Promise<void> {
    // Must also run after the signal.
    const { namespace } = this.gateway;
    const cluster = new Cluster(namespace, new AbortController().signal);
    await cluster.kubectl('delete', 'namespace', namespace, this.clients.namespace, '--ignore-not-found');
    this.#gatewayctlEnvironment = [];
  }

  /** Removes the files of this run. */
  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns kustomize's `images` for a release. */
function renamed({ prefix, tag }: Images) {
  return IMAGES.map((image) => ({
    name: `model-gateway/${image}`,
    newName: `${prefix}/${image}`,
    newTag: tag,
  }));
}
