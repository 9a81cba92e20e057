import { createAccount, DEMO_ACCOUNT } from '../gateway/accounts.ts';
import { type AddDemoUsageOptions, addDemoUsage } from './add-demo-usage.ts';

/**
 * Adds an account with made-up usage, apart from all real usage. Does nothing without simulated models.
 * @returns true if there is made-up usage now
 */
export async function addDemoAccount(options: AddDemoUsageOptions): Promise<boolean> {
  await createAccount(options.client, DEMO_ACCOUNT);
  return (await addDemoUsage(options, DEMO_ACCOUNT.email)) > 0;
}
