import { runService } from '@model-gateway/service-kit';
import { parseCatalogConfig } from './config.ts';
import { maxStopMs, startCatalog } from './start-catalog.ts';

await runService({
  name: 'catalog',
  parseConfig: parseCatalogConfig,
  start: startCatalog,
  maxStopMs,
});
