/** Headers with which a data plane speaks for the client whose request it forwards to the catalog service. */
export const INTERNAL_TOKEN_HEADER = 'x-gateway-internal-token';
export const AUTHENTICATED_HEADER = 'x-gateway-authenticated';
