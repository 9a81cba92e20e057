export { type DashboardConfig, dashboardSettings, parseDashboardConfig } from './config.ts';
export type { DashboardOverrides } from './context.ts';
export { maxStopMs, type RunningDashboard, startDashboard } from './start-dashboard.ts';
