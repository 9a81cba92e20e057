export { type ControlPlaneConfig, controlPlaneSettings, parseControlPlaneConfig } from './config.ts';
export type { ControlPlaneOverrides } from './context.ts';
export { overdrawnBudget } from './database/connection-budget.ts';
export { maxStopMs, type RunningControlPlane, startControlPlane } from './start-control-plane.ts';
