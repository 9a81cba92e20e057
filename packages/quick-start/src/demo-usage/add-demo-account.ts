import { createAccount, DEMO_ACCOUNT } from '../gateway/accounts.ts';
import { type AddDemoUsageOptions, addDemoUsage, simulatedModels } from './add-demo-usage.ts';

/**
 * Adds the demo account with made-up usage if there are simulated models. A repeated call adds the missing
 * parts.
 * @returns true if usage was added
 */
export async function addDemoAccount(options: AddDemoUsageOptions): Promise<boolean> {
  if ((await simulatedModels(options.client, options.simulatedBaseUrl)).length === 0) return false;
  await createAccount(options.client, DEMO_ACCOUNT);
  return (await addDemoUsage(options, DEMO_ACCOUNT.email)) > 0;
}
