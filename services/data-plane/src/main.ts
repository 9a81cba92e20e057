import { runService } from '@model-gateway/service-kit';
import { parseDataPlaneConfig } from './config.ts';
import { maxStopMs, startDataPlane } from './start-data-plane.ts';
import { tuneGarbageCollection } from './tune-garbage-collection.ts';

tuneGarbageCollection();
await runService({
  name: 'data-plane',
  parseConfig: parseDataPlaneConfig,
  start: startDataPlane,
  maxStopMs,
});
