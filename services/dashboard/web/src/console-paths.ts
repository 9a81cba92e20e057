const at = (section: string) => (id: string) => `/operate/${section}/${encodeURIComponent(id)}`;
const asked = (section: string, query: Readonly<Record<string, string>>) =>
  `/operate/${section}?${new URLSearchParams(query)}`;

/** Returns paths of the console's pages. */
export const consolePaths = {
  account: at('accounts'),
  team: at('teams'),
  seat: at('seats'),
  key: at('keys'),
  /** An end user's id may have any characters, so it is no part of the path. */
  endUser: (accountId: string, id: string) => asked('end-user', { account_id: accountId, id }),
  priceList: at('price-lists'),
  provider: at('providers'),
  /** The id of a model has a slash. */
  model: (id: string) => `/operate/models/${id}`,
  catalogVersion: at('catalog/versions'),
  request: at('requests'),
  /** @param filters as in the address of the page of requests */
  requests: (filters: Readonly<Record<string, string>>) => asked('requests', filters),
};
