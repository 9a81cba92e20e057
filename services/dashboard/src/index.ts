export { type DashboardConfig, dashboardSettings, parseDashboardConfig } from './config.ts';
export type { DashboardOverrides } from './context.ts';
export { type RunningDashboard, startDashboard } from './start-dashboard.ts';
