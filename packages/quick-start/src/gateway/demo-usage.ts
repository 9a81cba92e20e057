import type { AddDemoUsageResponseMessage, ControlPlaneClient } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

/** Gives the demo account a month of made-up usage, once, so that the dashboard's charts have something to show. */
export async function demoUsage(client: ControlPlaneClient): Promise<void> {
  await client.call<AddDemoUsageResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.admin.addDemoUsage({ account: DEMO_EMAIL }, ...rest),
  );
}
