import { createAccount, DEMO_ACCOUNT } from '../gateway/accounts.ts';
import { type AddDemoUsageOptions, addDemoUsage } from './add-demo-usage.ts';

/**
 * Adds the demo account, and made-up usage if there are simulated models.
 * @returns true if usage was added
 */
export async function addDemoAccount(options: AddDemoUsageOptions): Promise<boolean> {
  await createAccount(options.client, DEMO_ACCOUNT);
  return (await addDemoUsage(options, DEMO_ACCOUNT.email)) > 0;
}
