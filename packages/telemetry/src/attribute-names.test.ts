import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { attributeNames, rpcAttributes, SEMCONV } from './attribute-names.ts';
import { METRIC_NAMES } from './metric-names.ts';

/** Names in the published registries, frozen; its members name the sources. */
const registry = JSON.parse(readFileSync(new URL('registry-names.json', import.meta.url), 'utf8'));

it.each(SEMCONV)('each name in the tables of %s is in its registry, or begins with "gateway."', (semconv) => {
  const { schemaUrl, semconv: _, ...names } = attributeNames(semconv);
  const published = new Set(registry[semconv].names);
  expect(published.size).toBeGreaterThan(50);
  const strangers = Object.values(names).filter(
    (name) => name !== undefined && !name.startsWith('gateway.') && !published.has(name),
  );
  expect(strangers).toEqual([]);
  expect(schemaUrl).toMatch(/^https:\/\/opentelemetry\.io\/schemas\//);
  const texts = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [value];
  const metrics = texts(METRIC_NAMES[semconv]).filter((each) => typeof each === 'string');
  expect(metrics.length).toBeGreaterThan(3);
  expect(metrics.filter((name) => !registry[semconv].metrics.includes(name))).toEqual([]);
});

it('calls over gRPC have the members that each convention gives them', () => {
  const ok = { code: 0, name: 'OK' };
  expect(rpcAttributes(attributeNames('genai-main'), '/a.v1.Service/Method', ok)).toEqual({
    'rpc.system.name': 'grpc',
    'rpc.method': 'a.v1.Service/Method',
    'rpc.response.status_code': 'OK',
  });
  expect(rpcAttributes(attributeNames('genai-1.36'), '/a.v1.Service/Method', ok)).toEqual({
    'rpc.system': 'grpc',
    'rpc.service': 'a.v1.Service',
    'rpc.method': 'Method',
    'rpc.grpc.status_code': 0,
  });
});
