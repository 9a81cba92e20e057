/**
 * The headers with which a data plane speaks for a client, when it forwards the client's request to the
 * catalog service.
 */
export const INTERNAL_TOKEN_HEADER = 'x-gateway-internal-token';
export const AUTHENTICATED_HEADER = 'x-gateway-authenticated';
