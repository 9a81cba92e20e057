import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { mayConnect } from './may-connect.ts';
import { KUBERNETES, MANIFEST_FILES, readKustomization, readManifests } from './read-manifests.ts';

const FOLDERS = ['postgres-standby', 'redis-cluster'] as const;
const manifests: readonly unknown[] = MANIFEST_FILES.flatMap(readManifests);
const policies = manifests.filter(NetworkPolicy.is);
const readme = readFileSync(join(KUBERNETES, 'README.md'), 'utf8');
const scriptsOf = (folder: string) => globSync('*.sh', { cwd: join(KUBERNETES, folder) });
const textOf = (path: string) => readFileSync(join(KUBERNETES, path), 'utf8');

const labelsOf = (name: string) =>
  [...manifests.filter(Deployment.is), ...manifests.filter(StatefulSet.is)].find(
    ({ metadata }) => metadata?.name === name,
  )?.spec?.template.metadata?.labels ?? {};

function setOf(name: string) {
  const found = manifests.filter(StatefulSet.is).find(({ metadata }) => metadata?.name === name);
  if (found?.spec === undefined) throw new Error(`there is no StatefulSet ${name}`);
  return found.spec;
}

describe.each(FOLDERS)('%s', (folder) => {
  it.each(scriptsOf(folder))('%s is valid shell, and is in the ConfigMap', (script) => {
    expect(spawnSync('sh', ['-n', join(KUBERNETES, folder, script)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(readKustomization(folder).configMapGenerator.flatMap(({ files }) => files)).toContain(script);
  });

  it('has every script that its files and the README name', () => {
    const named = new RegExp(`/etc/${folder}/([a-z-]+\\.(?:sh|conf))`, 'g');
    const others = [...readKustomization(folder).resources, ...scriptsOf(folder)];
    const texts = [readme, ...others.map((file) => textOf(`${folder}/${file}`))];
    const names = texts.flatMap((text) => [...text.matchAll(named)].map(([, name]) => name));
    const files = readKustomization(folder).configMapGenerator.flatMap((each) => each.files);
    expect(new Set(names).size).toBeGreaterThan(1);
    expect(names.filter((name) => !files.includes(name ?? ''))).toEqual([]);
  });

  it('has a Service with the name that its scripts use', () => {
    const { serviceName = '', template } = setOf(folder === 'redis-cluster' ? folder : 'postgres');
    const service = manifests.filter(Service.is).find(({ metadata }) => metadata?.name === serviceName);
    expect(service?.spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: template.metadata?.labels,
    });
    expect(
      scriptsOf(folder)
        .map((script) => textOf(`${folder}/${script}`))
        .join(''),
    ).toContain(`.${serviceName}`);
  });
});

it('every Redis node is in the REDIS_URL of the README, and the first node waits for all of them', () => {
  const { replicas = 0 } = setOf('redis-cluster');
  const [, ordinals = ''] = /redis-cluster-%d\.redis-cluster:6379' ([\d ]+) \|/.exec(readme) ?? [];
  expect(ordinals.split(' ').map(Number)).toEqual(Array.from({ length: replicas }, (_, n) => n));
  expect(textOf('redis-cluster/start.sh')).toContain(`\nlast=${replicas - 1}\n`);
});

it('only services that need Postgres or Redis, and their own pods, can connect to them', () => {
  const stranger = { 'app.kubernetes.io/name': 'stranger' };
  const may = (from: Record<string, string>, to: string, port: number) =>
    mayConnect([...policies, OPEN], from, labelsOf(to), port);
  for (const name of ['control-plane', 'dashboard'])
    expect([name, may(labelsOf(name), 'postgres', 5432)]).toEqual([name, true]);
  for (const name of ['control-plane', 'data-plane', 'catalog'])
    expect([name, may(labelsOf(name), 'redis-cluster', 6379)]).toEqual([name, true]);
  expect(may(labelsOf('postgres'), 'postgres', 5432)).toBe(true);
  for (const port of [6379, 16379])
    expect([port, may(labelsOf('redis-cluster'), 'redis-cluster', port)]).toEqual([port, true]);
  expect(may(labelsOf('data-plane'), 'redis-cluster', 16379)).toBe(false);
  for (const [to, port] of [
    ['postgres', 5432],
    ['redis-cluster', 6379],
  ] as const)
    expect([to, may(stranger, to, port)]).toEqual([to, false]);
});

/** Lets pods without a policy connect everywhere. */
const OPEN = new NetworkPolicy({
  metadata: { name: 'open' },
  spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
});
