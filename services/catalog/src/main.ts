import { runService } from '@model-gateway/service-kit';
import { parseCatalogConfig } from './config.ts';
import { startCatalog } from './start-catalog.ts';

await runService({ name: 'catalog', parseConfig: parseCatalogConfig, start: startCatalog });
