import process from 'node:process';
import { runService } from '@model-gateway/service-kit';
import { parseSimulatedProviderConfig } from './config.ts';
import { startSimulatedProvider } from './index.ts';

/** It cuts its connections when it stops, so there is little to wait for. */
const MAX_STOP_MS = 5_000;

await runService({
  name: 'simulated-provider',
  parseConfig: parseSimulatedProviderConfig,
  async start(config) {
    // Nobody can ask a process of its own what it was asked, so it need not remember.
    const provider = await startSimulatedProvider({ ...config, keepRequests: 0 });
    process.stdout.write(`simulated-provider: listening on ${provider.baseUrl}\n`);
    return provider;
  },
  maxStopMs: () => MAX_STOP_MS,
});
