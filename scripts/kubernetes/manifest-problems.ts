import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Pod, Secret, Service } from 'kubernetes-models/v1';
import type { Manifest } from './read-manifests.ts';

/** These classes contain the compiled schemas of the Kubernetes API. */
const MODELS: readonly (new () => { apiVersion: string; kind: string; validate(): void })[] = [
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  Ingress,
  Job,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  PrometheusRule,
  Secret,
  Service,
  ServiceMonitor,
  StatefulSet,
];

/** Returns a line for each violation of the kind's schema, also for unknown fields. */
export function manifestProblems(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const model = MODELS.map((Model) => new Model()).find(
    (each) => each.apiVersion === apiVersion && each.kind === kind,
  );
  if (model === undefined) return [`there is no schema for ${apiVersion} ${kind}`];
  Object.assign(model, manifest);
  const seen = new Set<string>();
  const problems: string[] = [];
  try {
    Reflect.apply(model.validate, watched(model, '', seen), []);
  } catch (error) {
    problems.push(String(error));
  }
  const unknown = pathsOf(manifest, '').filter((path) => !seen.has(path));
  return [...problems, ...unknown.map((path) => `${path}: no such field`)];
}

/** Records which fields are read: the compiled schemas accept unknown fields, but never read them. */
function watched(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key);
      seen.add(`${path}/${key}`);
      return watched(Reflect.get(target, key), `${path}/${key}`, seen);
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}/${key}`,
    ...pathsOf(inner, `${path}/${key}`),
  ]);
}
