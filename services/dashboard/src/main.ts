import { runService } from '@model-gateway/service-kit';
import { parseDashboardConfig } from './config.ts';
import { maxStopMs, startDashboard } from './start-dashboard.ts';

await runService({
  name: 'dashboard',
  parseConfig: parseDashboardConfig,
  start: startDashboard,
  maxStopMs,
});
