import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** Where scripts and gatewayctl find a development gateway (docs/configuration.md, "npm start"). */
const developmentFile = z.object({
  /** With /v1, as OpenAI clients want it. */
  base_url: z.string(),
  api_key: z.string(),
  /** Absent in the file of an earlier version. */
  dashboard_url: z.string().optional(),
  dashboard_email: z.string().optional(),
  /** The password that was set at the first start. The user may have changed it since. */
  dashboard_password: z.string().optional(),
  /** URL of the management API; absent in the file of an earlier version. */
  admin_url: z.string().optional(),
  control_plane_address: z.string(),
  admin_token: z.string(),
  /** The URL where each service answers /metrics and /health/ready. */
  internal_urls: z.record(z.string(), z.string()).default({}),
  pids: z.record(z.string(), z.int()),
});
export type DevelopmentFile = z.infer<typeof developmentFile>;

export function developmentFilePath(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

export function readDevelopmentFile(dataDir: string): DevelopmentFile | undefined {
  return readJsonFile(developmentFilePath(dataDir), developmentFile);
}

export function writeDevelopmentFile(dataDir: string, content: DevelopmentFile): void {
  writeJsonFile(developmentFilePath(dataDir), content);
}
