import { expect, it } from 'vitest';
import { isReservedVariable } from './reserved-variables.ts';

it.each([
  'DATABASE_URL',
  'HTTPS_PROXY',
  'https_proxy',
  'http_proxy',
  'SMTP_URL',
  'OIDC_ENTRA_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
])('%s, which may hold a secret of the gateway, is no credential of a provider', (name) => {
  expect(isReservedVariable(name)).toBe(true);
});

it.each(['OPENAI_API_KEY', 'AZURE_CLIENT_SECRET', 'PROXY_KEY'])('%s may be one', (name) => {
  expect(isReservedVariable(name)).toBe(false);
});
