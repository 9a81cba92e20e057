import type { PreferredPort, StartOptions } from '../options.ts';
import { choosePort } from './choose-port.ts';

/** The ports of each service, by the settings that name them. */
export interface StackPorts {
  'control-plane': ServicePorts & { ADMIN_PORT: number };
  catalog: ServicePorts;
  'data-plane': ServicePorts;
  dashboard: ServicePorts;
  'simulated-provider': { PORT: number };
}

export interface ServicePorts {
  PORT: number;
  INTERNAL_PORT: number;
}

/**
 * Chooses all ports before anything starts: the services need each other's addresses, and start at the same
 * time. Those that the user can name come first, so that no other service takes them.
 * @throws QuickStartError when a port that an option names is taken
 */
export async function chooseStackPorts(
  {
    adminPort,
    gatewayPort,
    dashboardPort,
  }: Pick<StartOptions, 'adminPort' | 'gatewayPort' | 'dashboardPort'>,
  reserved: Set<number>,
): Promise<StackPorts> {
  const choose = (preferred: PreferredPort) => choosePort(preferred, reserved);
  const near = (port: number) => choose({ port, option: undefined });
  const gateway = await choose(gatewayPort);
  const dashboard = await choose(dashboardPort);
  const admin = await choose(adminPort);
  return {
    'control-plane': { PORT: await near(50_051), INTERNAL_PORT: await near(9051), ADMIN_PORT: admin },
    catalog: { PORT: await near(8081), INTERNAL_PORT: await near(9081) },
    'data-plane': { PORT: gateway, INTERNAL_PORT: await near(9080) },
    dashboard: { PORT: dashboard, INTERNAL_PORT: await near(9090) },
    'simulated-provider': { PORT: await near(8082) },
  };
}
