import { type Environment, hostSetting, parseConfig, portSetting } from '@model-gateway/service-kit';
import { z } from 'zod';

const DEFAULT_PORT = 8082;

const schema = z.object({
  PORT: portSetting(DEFAULT_PORT),
  /** Reachable only from this machine, even in production: it serves nobody else. */
  HOST: hostSetting(false),
  SIMULATED_API_KEY: z.string().optional(),
});

export interface SimulatedProviderConfig {
  port: number;
  host: string;
  apiKey: string | undefined;
}

/** @throws ConfigError that names every wrong setting at once */
export function parseSimulatedProviderConfig(environment: Environment): SimulatedProviderConfig {
  const { PORT, HOST, SIMULATED_API_KEY } = parseConfig(schema, environment);
  return { port: PORT, host: HOST, apiKey: SIMULATED_API_KEY };
}
