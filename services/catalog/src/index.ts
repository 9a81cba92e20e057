export { type CatalogConfig, catalogSettings, parseCatalogConfig } from './config.ts';
export type { CatalogOverrides } from './context.ts';
export { maxStopMs, type RunningCatalog, startCatalog } from './start-catalog.ts';
