import type { ControlPlaneClient } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

/** Gives the demo account a month of made-up usage, once, so that the dashboard's charts have something to show. */
export async function demoUsage(client: ControlPlaneClient): Promise<void> {
  await client.call(CALL_DEADLINE_MS, 'admin', 'addDemoUsage', { account: DEMO_EMAIL });
}
