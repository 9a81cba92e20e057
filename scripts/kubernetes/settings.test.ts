import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { describe, expect, it } from 'vitest';
import { catalogSettings } from '../../services/catalog/src/index.ts';
import { controlPlaneSettings } from '../../services/control-plane/src/index.ts';
import { dashboardSettings, parseDashboardConfig } from '../../services/dashboard/src/index.ts';
import { dataPlaneSettings } from '../../services/data-plane/src/index.ts';
import { KUBERNETES, MANIFEST_FILES, readManifests } from './read-manifests.ts';

const KNOWN = new Set(
  [dataPlaneSettings, controlPlaneSettings, catalogSettings, dashboardSettings].flatMap((settings) =>
    Object.keys(settings(true).shape),
  ),
);
const example = readFileSync(join(KUBERNETES, 'example/kustomization.yaml'), 'utf8');
/** The literals of the ConfigMap `settings`, also those that are commented out. */
const literals = Object.fromEntries(
  [
    ...(/- name: settings\n([\s\S]*?)\nimages:/.exec(example)?.[1] ?? '').matchAll(/- ([A-Z0-9_]+)=(.*)/g),
  ].map(([, name = '', value = '']) => [name, value]),
);

describe('the ConfigMap of further settings', () => {
  it('is read by every service, and the Secret of the dashboard by the dashboard alone', () => {
    const manifests: readonly unknown[] = MANIFEST_FILES.flatMap(readManifests);
    const deployments = manifests.filter(Deployment.is);
    const sources = deployments.map(({ metadata, spec }) => [
      metadata?.name,
      ...(spec?.template.spec?.containers[0]?.envFrom ?? []).map(
        ({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name,
      ),
    ]);
    expect(Object.fromEntries(sources.map(([name, ...names]) => [name, names]))).toMatchObject({
      'data-plane': ['settings', 'provider-credentials'],
      'control-plane': ['settings'],
      catalog: ['settings'],
      dashboard: ['settings', 'dashboard-secrets'],
    });
  });

  it('has only known settings in the example', () => {
    expect(Object.keys(literals).length).toBeGreaterThan(5);
    const unknown = Object.keys(literals).filter((name) => !KNOWN.has(name) && !/^OIDC_ENTRA_/.test(name));
    expect(unknown).toEqual([]);
  });

  it('makes a dashboard with single sign-on, together with the Secret', () => {
    const config = parseDashboardConfig({
      ...literals,
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://postgres/gateway',
      INTERNAL_TOKEN: 'a'.repeat(32),
      SESSION_SECRET: 'b'.repeat(32),
      PUBLIC_URL: 'https://dashboard.example.com',
      OIDC_ENTRA_CLIENT_SECRET: 'secret',
    });
    expect(config).toMatchObject({ ssoOnly: true, identityProviders: [{ id: 'entra', name: 'entra' }] });
  });
});
