import { runService } from '@model-gateway/service-kit';
import { parseDataPlaneConfig } from './config.ts';
import { maxStopMs, startDataPlane } from './start-data-plane.ts';

await runService({
  name: 'data-plane',
  parseConfig: parseDataPlaneConfig,
  start: startDataPlane,
  maxStopMs,
});
