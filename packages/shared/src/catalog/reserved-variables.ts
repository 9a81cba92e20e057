/**
 * The gateway's own secrets. No provider may name one as its credential: otherwise whoever edits the catalog
 * could make the gateway send its secrets to their server.
 */
const RESERVED = new Set([
  'ADMIN_TOKEN',
  'API_KEY_LOOKUP_PEPPER',
  'API_KEY_LOOKUP_PEPPER_OLD',
  'DATABASE_SESSION_URL',
  'DATABASE_URL',
  'GRPC_TLS_CA',
  'GRPC_TLS_CERT',
  'GRPC_TLS_KEY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'INTERNAL_TOKEN',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'REDIS_URL',
  'RESPONSES_STATE_KEY',
  'SESSION_SECRET',
  'SMTP_URL',
]);

/** The secret of an identity provider in OIDC_PROVIDERS. */
const NAMED_CLIENT_SECRET = /^OIDC_[A-Z0-9]+_CLIENT_SECRET$/;

/** Returns true also for other spellings: proxies are read in lower case, too. */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return RESERVED.has(upper) || NAMED_CLIENT_SECRET.test(upper);
}
