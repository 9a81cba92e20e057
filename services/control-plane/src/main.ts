import { runService } from '@model-gateway/service-kit';
import { parseControlPlaneConfig } from './config.ts';
import { maxStopMs, startControlPlane } from './start-control-plane.ts';

await runService({
  name: 'control-plane',
  parseConfig: parseControlPlaneConfig,
  start: startControlPlane,
  maxStopMs,
});
