export { type DataPlaneConfig, dataPlaneSettings, parseDataPlaneConfig } from './config.ts';
export type { DataPlaneOverrides } from './context.ts';
export { maxStopMs, type RunningDataPlane, startDataPlane } from './start-data-plane.ts';
