import type { Logger } from '@model-gateway/service-kit';
import { freePort } from './free-port.ts';

export interface TestDashboard {
  /** Its public URL, without a slash at the end. */
  url: string;
  internalPort: number;
  close(): Promise<void>;
}

/** Starts the dashboard of a test gateway, with the site that `npm run build` has built. */
export async function startTestDashboard(
  settings: Record<string, string | undefined>,
  log: Logger,
): Promise<TestDashboard> {
  // The import is here because the dashboard takes a while to load, and most tests do not need it.
  const { parseDashboardConfig, startDashboard } = await import('@model-gateway/dashboard');
  const port = Number(settings.PORT) || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { internalPort, close } = await startDashboard(
    parseDashboardConfig({ ...settings, PORT: String(port), PUBLIC_URL: url }),
    { log },
  );
  return { url, internalPort, close };
}
