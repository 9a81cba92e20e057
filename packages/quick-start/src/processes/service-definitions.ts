import type { Environment } from '@model-gateway/service-kit';
import type { Secrets } from '../data-dir/secrets.ts';
import { HOST } from './choose-port.ts';
import type { ServiceDefinition } from './service-process.ts';
import type { StackPorts } from './stack-ports.ts';

/** A person who presses Ctrl-C does not want to wait half a minute for an open stream. */
const DRAIN_TIMEOUT_MS = '3000';

/** The settings of each service. Everything listens on this machine only. */
export class ServiceDefinitions {
  readonly #environment: Environment;
  readonly #secrets: Secrets;
  readonly #ports: StackPorts;
  readonly #identityProviderSecret: string | undefined;
  readonly #mailServerUrl: string | undefined;

  /**
   * @param environment the environment of `npm start`, from which the services read their other settings and
   *   the providers' credentials
   */
  constructor(environment: Environment, secrets: Secrets, ports: StackPorts) {
    this.#secrets = secrets;
    this.#ports = ports;
    this.#identityProviderSecret = environment.OIDC_CLIENT_SECRET;
    this.#mailServerUrl = environment.SMTP_URL;
    this.#environment = {
      ...environment,
      HOST,
      // Each service gets only the secrets that it needs.
      ADMIN_TOKEN: undefined,
      API_KEY_LOOKUP_PEPPER: undefined,
      DATABASE_URL: undefined,
      INTERNAL_TOKEN: undefined,
      OIDC_CLIENT_SECRET: undefined,
      SESSION_SECRET: undefined,
      SMTP_URL: undefined,
      // All of this stays on the loopback interface, and no certificate is made for that.
      GRPC_TLS_CA: undefined,
      GRPC_TLS_CERT: undefined,
      GRPC_TLS_KEY: undefined,
    };
  }

  get controlPlaneAddress(): string {
    return this.#addressOf('control-plane');
  }

  /** Without /v1. */
  get gatewayUrl(): string {
    return `http://${this.#addressOf('data-plane')}`;
  }

  get dashboardUrl(): string {
    return `http://${this.#addressOf('dashboard')}`;
  }

  /** With /v1. */
  get simulatedBaseUrl(): string {
    return `http://${this.#addressOf('simulated-provider')}/v1`;
  }

  get #catalogUrl(): string {
    return `http://${this.#addressOf('catalog')}`;
  }

  controlPlane(databaseUrl: string): ServiceDefinition {
    return this.#service('control-plane', {
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      ADMIN_TOKEN: this.#secrets.ADMIN_TOKEN,
      API_KEY_LOOKUP_PEPPER: this.#secrets.API_KEY_LOOKUP_PEPPER,
      DATABASE_URL: databaseUrl,
    });
  }

  catalog(): ServiceDefinition {
    return this.#service('catalog', {
      CONTROL_PLANE_ADDRESS: this.controlPlaneAddress,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
    });
  }

  dataPlane(): ServiceDefinition {
    return this.#service('data-plane', {
      CONTROL_PLANE_ADDRESS: this.controlPlaneAddress,
      CATALOG_URL: this.#catalogUrl,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      API_KEY_LOOKUP_PEPPER: this.#secrets.API_KEY_LOOKUP_PEPPER,
      DRAIN_TIMEOUT_MS: this.#environment.DRAIN_TIMEOUT_MS || DRAIN_TIMEOUT_MS,
    });
  }

  dashboard(databaseUrl: string): ServiceDefinition {
    return this.#service('dashboard', {
      CONTROL_PLANE_ADDRESS: this.controlPlaneAddress,
      CATALOG_URL: this.#catalogUrl,
      API_BASE_URL: this.gatewayUrl,
      PUBLIC_URL: this.dashboardUrl,
      DATABASE_URL: databaseUrl,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      SESSION_SECRET: this.#secrets.SESSION_SECRET,
      OIDC_CLIENT_SECRET: this.#identityProviderSecret,
      SMTP_URL: this.#mailServerUrl,
    });
  }

  simulatedProvider(): ServiceDefinition {
    const name = 'simulated-provider';
    return {
      name,
      program: 'packages/simulated-provider/src/main.ts',
      environment: this.#environment,
      ports: { ...this.#ports[name] },
      readyPort: 'PORT',
      readyPath: '/v1/models',
    };
  }

  #service(name: Exclude<keyof StackPorts, 'simulated-provider'>, settings: Environment): ServiceDefinition {
    return {
      name,
      program: `services/${name}/src/main.ts`,
      environment: { ...this.#environment, ...settings },
      ports: { ...this.#ports[name] },
      readyPort: 'INTERNAL_PORT',
      readyPath: '/health/ready',
    };
  }

  #addressOf(name: keyof StackPorts): string {
    return `${HOST}:${this.#ports[name].PORT}`;
  }
}
