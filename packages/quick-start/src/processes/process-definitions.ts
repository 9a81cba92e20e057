import type { Environment } from '@model-gateway/service-kit';
import type { Secrets } from '../data-dir/secrets.ts';
import { HOST } from './choose-port.ts';
import type { ProcessDefinition } from './service-process.ts';
import type { StackPorts } from './stack-ports.ts';

/** The programs to start. They are bundles if this program is one (packages/bundles). */
const PROGRAMS: Readonly<Record<keyof StackPorts, URL>> = {
  catalog: new URL('../../../../services/catalog/src/main.ts', import.meta.url),
  'control-plane': new URL('../../../../services/control-plane/src/main.ts', import.meta.url),
  dashboard: new URL('../../../../services/dashboard/src/main.ts', import.meta.url),
  'data-plane': new URL('../../../../services/data-plane/src/main.ts', import.meta.url),
  'simulated-provider': new URL('../../../simulated-provider/src/main.ts', import.meta.url),
};
/** A person who presses Ctrl-C does not want to wait half a minute for an open stream. */
const DRAIN_TIMEOUT_MS = '3000';
const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

export type ProcessDefinitions = ReturnType<typeof defineProcesses>;

/**
 * Defines the settings of each service. All listen on this machine only, but with a `HOST` of 0.0.0.0 or ::,
 * the gateway and the dashboard are open to other machines.
 * @param environment of `npm start`, with the services' other settings and the providers' credentials
 */
export function defineProcesses(environment: Environment, secrets: Secrets, ports: StackPorts) {
  const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN, SESSION_SECRET } = secrets;
  const signInSecrets = Object.entries(environment).filter(([name]) =>
    /^OIDC_(.+_)?CLIENT_SECRET$/.test(name),
  );
  const inherited: Environment = {
    ...environment,
    ...Object.fromEntries(signInSecrets.map(([name]) => [name, undefined])),
    HOST,
    // Each service gets only the secrets that it needs.
    ADMIN_TOKEN: undefined,
    API_KEY_LOOKUP_PEPPER: undefined,
    DATABASE_URL: undefined,
    INTERNAL_TOKEN: undefined,
    SESSION_SECRET: undefined,
    SMTP_URL: undefined,
    // All of this stays on the loopback interface, and no certificate is made for that.
    GRPC_TLS_CA: undefined,
    GRPC_TLS_CERT: undefined,
    GRPC_TLS_KEY: undefined,
  };
  const addressOf = (name: keyof StackPorts) => `${HOST}:${ports[name].PORT}`;
  const CONTROL_PLANE_ADDRESS = addressOf('control-plane');
  const CATALOG_URL = `http://${addressOf('catalog')}`;
  const gatewayUrl = `http://${addressOf('data-plane')}`;
  const dashboardUrl = `http://${addressOf('dashboard')}`;

  // Ignores other values, because some shells set HOST to the name of the machine.
  const publicHost = ALL_ADDRESSES.has(environment.HOST ?? '') ? { HOST: environment.HOST } : {};

  function service(
    name: Exclude<keyof StackPorts, 'simulated-provider'>,
    settings: Environment,
  ): ProcessDefinition {
    return {
      name,
      program: PROGRAMS[name],
      environment: { ...inherited, ...settings },
      ports: { ...ports[name] },
      readyPort: 'INTERNAL_PORT',
      readyPath: '/health/ready',
    };
  }

  return {
    controlPlaneAddress: CONTROL_PLANE_ADDRESS,
    /** Without /v1. */
    gatewayUrl,
    dashboardUrl,
    adminUrl: `http://${HOST}:${ports['control-plane'].ADMIN_PORT}`,
    /** With /v1. */
    simulatedBaseUrl: `http://${addressOf('simulated-provider')}/v1`,
    controlPlane: (databaseUrl: string) =>
      service('control-plane', {
        INTERNAL_TOKEN,
        ADMIN_TOKEN,
        API_KEY_LOOKUP_PEPPER,
        DATABASE_URL: databaseUrl,
        PUBLIC_URL: environment.PUBLIC_URL || dashboardUrl,
        SMTP_URL: environment.SMTP_URL,
      }),
    catalog: () => service('catalog', { CONTROL_PLANE_ADDRESS, INTERNAL_TOKEN }),
    dataPlane: () =>
      service('data-plane', {
        CONTROL_PLANE_ADDRESS,
        CATALOG_URL,
        INTERNAL_TOKEN,
        API_KEY_LOOKUP_PEPPER,
        ...publicHost,
        DRAIN_TIMEOUT_MS: environment.DRAIN_TIMEOUT_MS || DRAIN_TIMEOUT_MS,
      }),
    dashboard: (databaseUrl: string) =>
      service('dashboard', {
        CONTROL_PLANE_ADDRESS,
        CATALOG_URL,
        API_BASE_URL: gatewayUrl,
        PUBLIC_URL: environment.PUBLIC_URL || dashboardUrl,
        ...publicHost,
        DATABASE_URL: databaseUrl,
        INTERNAL_TOKEN,
        SESSION_SECRET,
        ...Object.fromEntries(signInSecrets),
        SMTP_URL: environment.SMTP_URL,
      }),
    simulatedProvider: (): ProcessDefinition => ({
      name: 'simulated-provider',
      program: PROGRAMS['simulated-provider'],
      environment: inherited,
      ports: { ...ports['simulated-provider'] },
      readyPort: 'PORT',
      readyPath: '/v1/models',
    }),
  };
}
