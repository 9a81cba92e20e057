export const requestPath = (id: string) => `/operate/requests/${encodeURIComponent(id)}`;
export const accountPath = (id: string) => `/operate/accounts/${encodeURIComponent(id)}`;
export const keyPath = (id: string) => `/operate/keys/${encodeURIComponent(id)}`;
export const modelPath = (id: string) => `/operate/models/${encodeURIComponent(id)}`;
export const providerPath = (id: string) => `/operate/providers/${encodeURIComponent(id)}`;

/** @param filters as in the address of the page of requests */
export const requestsPath = (filters: Readonly<Record<string, string>>) =>
  `/operate/requests?${new URLSearchParams(filters)}`;
