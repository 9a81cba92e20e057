export { isListed } from './is-listed.ts';
export { type ListedProvider, listProviderModels, useProxyOf } from './list-provider-models.ts';
