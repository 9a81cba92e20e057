import { TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';
import { addDemoUsage } from '../../../../packages/quick-start/src/demo-usage/add-demo-usage.ts';

/** Adds a month of usage to an account, as `npm start` does for its demo account. */
export async function makeUpUsage(
  { admin, databaseUrl, provider }: Pick<TestGateway, 'admin' | 'databaseUrl' | 'provider'>,
  email: string,
): Promise<void> {
  const pepper = TEST_SECRETS.API_KEY_LOOKUP_PEPPER;
  const options = { client: admin, databaseUrl, pepper, simulatedBaseUrl: provider.baseUrl };
  const requests = await addDemoUsage(options, email);
  if (requests === 0) throw new Error('no usage was added');
}
