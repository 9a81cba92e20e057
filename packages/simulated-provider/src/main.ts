import process from 'node:process';
import { runService } from '@model-gateway/service-kit';
import { parseSimulatedProviderConfig } from './config.ts';
import { startSimulatedProvider } from './index.ts';

/** The provider cuts its connections when it stops, so this is long enough. */
const MAX_STOP_MS = 5_000;

await runService({
  name: 'simulated-provider',
  parseConfig: parseSimulatedProviderConfig,
  async start(config) {
    // Nobody can read the request log of this process.
    const provider = await startSimulatedProvider({ ...config, automaticCache: true, keepRequests: 0 });
    process.stdout.write(`simulated-provider: listening on ${provider.baseUrl}\n`);
    return provider;
  },
  maxStopMs: () => MAX_STOP_MS,
});
