/** Reasons by error code of Node and undici. They name no address; the errors themselves do. */
const REASONS: readonly [codes: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'its host name was not found'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'no route to its network'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection reset'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'no connection in time'],
  [/CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS_/, 'its TLS certificate is not valid'],
  [/^(?:EPROTO|ERR_SSL_)/, 'TLS failed'],
];

/** Returns why a connection failed, such as `connection refused`; undefined: unknown. */
export function connectionReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = String(thrown.code);
  return REASONS.find(([codes]) => codes.test(code))?.[1];
}
