/** Returns paths of the console's pages. */
export const consolePaths = {
  provider: (id: string) => `/operate/providers/${encodeURIComponent(id)}`,
  model: (id: string) => `/operate/models/${id}`,
  requests: (filter: Readonly<Record<string, string>>) => `/operate/requests?${new URLSearchParams(filter)}`,
};
