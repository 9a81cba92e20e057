/**
 * The gateway's own environment variables. No provider may name one of them as its credential: otherwise
 * somebody who may write the catalog could have the gateway send its secrets to a server of theirs.
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
