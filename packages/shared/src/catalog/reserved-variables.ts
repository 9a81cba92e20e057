/**
 * Environment variables of the gateway's own. No provider's credential may be named like one of them: whoever
 * may write the catalog could otherwise have them sent to a server of his.
 */
const RESERVED = new Set([
  'ADMIN_TOKEN',
  'API_KEY_LOOKUP_PEPPER',
  'API_KEY_LOOKUP_PEPPER_OLD',
  'DATABASE_URL',
  'GRPC_TLS_CA',
  'GRPC_TLS_CERT',
  'GRPC_TLS_KEY',
  'INTERNAL_TOKEN',
  'REDIS_URL',
  'SESSION_SECRET',
]);

export function isReservedVariable(name: string): boolean {
  return RESERVED.has(name);
}
