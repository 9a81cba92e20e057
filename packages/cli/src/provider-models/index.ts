export { isListed, isVersionOf } from './is-listed.ts';
export { type ListedProvider, listProviderModels, readText, useProxyOf } from './list-provider-models.ts';
