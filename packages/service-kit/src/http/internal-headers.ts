/** Headers that a data plane adds when it forwards a client's request to the catalog service. */
export const INTERNAL_TOKEN_HEADER = 'x-gateway-internal-token';
export const AUTHENTICATED_HEADER = 'x-gateway-authenticated';
/** Price list of the account that pays. */
export const PRICE_LIST_HEADER = 'x-gateway-price-list';
