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
  'INTERNAL_TOKEN',
  'REDIS_URL',
  'RESPONSES_STATE_KEY',
  'SESSION_SECRET',
]);

export function isReservedVariable(name: string): boolean {
  return RESERVED.has(name);
}
