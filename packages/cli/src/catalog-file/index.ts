export { oldCatalogs } from './bundled-files.ts';
export { catalogFile } from './catalog-file.ts';
export { parseCatalogFile } from './parse-catalog-file.ts';
