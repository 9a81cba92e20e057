import type { Environment } from '@model-gateway/service-kit';
import type { Secrets } from '../data-dir/secrets.ts';
import type { PortWish } from '../options.ts';
import { HOST } from './choose-port.ts';
import type { ServiceDefinition } from './service-process.ts';

/** A person who presses Ctrl-C does not want to wait half a minute for an open stream. */
const DRAIN_TIMEOUT_MS = '3000';

/** The addresses of the other services that a service needs, as base URL or `host:port`. */
interface Addresses {
  controlPlane: string;
  catalogUrl: string;
  /** The gateway's URL, without /v1. */
  gatewayUrl: string;
}

/** The settings of each service. Everything listens on this machine only. */
export class ServiceDefinitions {
  readonly #environment: Environment;
  readonly #secrets: Secrets;
  readonly #identityProviderSecret: string | undefined;
  readonly #mailServerUrl: string | undefined;

  /**
   * @param environment the environment of `npm start`, from which the services read their other settings and
   *   the providers' credentials
   */
  constructor(environment: Environment, secrets: Secrets) {
    this.#secrets = secrets;
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

  controlPlane(databaseUrl: string): ServiceDefinition {
    return this.#service('control-plane', near(50_051), near(9051), {
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      ADMIN_TOKEN: this.#secrets.ADMIN_TOKEN,
      API_KEY_LOOKUP_PEPPER: this.#secrets.API_KEY_LOOKUP_PEPPER,
      DATABASE_URL: databaseUrl,
    });
  }

  catalog({ controlPlane }: Pick<Addresses, 'controlPlane'>): ServiceDefinition {
    return this.#service('catalog', near(8081), near(9081), {
      CONTROL_PLANE_ADDRESS: controlPlane,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
    });
  }

  dataPlane(
    port: PortWish,
    { controlPlane, catalogUrl }: Pick<Addresses, 'controlPlane' | 'catalogUrl'>,
  ): ServiceDefinition {
    return this.#service('data-plane', port, near(9080), {
      CONTROL_PLANE_ADDRESS: controlPlane,
      CATALOG_URL: catalogUrl,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      API_KEY_LOOKUP_PEPPER: this.#secrets.API_KEY_LOOKUP_PEPPER,
      DRAIN_TIMEOUT_MS: this.#environment.DRAIN_TIMEOUT_MS || DRAIN_TIMEOUT_MS,
    });
  }

  dashboard(
    port: PortWish,
    databaseUrl: string,
    { controlPlane, catalogUrl, gatewayUrl }: Addresses,
  ): ServiceDefinition {
    const definition = this.#service('dashboard', port, near(9090), {
      CONTROL_PLANE_ADDRESS: controlPlane,
      CATALOG_URL: catalogUrl,
      API_BASE_URL: gatewayUrl,
      DATABASE_URL: databaseUrl,
      INTERNAL_TOKEN: this.#secrets.INTERNAL_TOKEN,
      SESSION_SECRET: this.#secrets.SESSION_SECRET,
      OIDC_CLIENT_SECRET: this.#identityProviderSecret,
      SMTP_URL: this.#mailServerUrl,
    });
    return { ...definition, fromPorts: ({ PORT }) => ({ PUBLIC_URL: `http://${HOST}:${PORT}` }) };
  }

  simulatedProvider(): ServiceDefinition {
    return {
      name: 'simulated-provider',
      program: 'packages/simulated-provider/src/main.ts',
      environment: this.#environment,
      ports: { PORT: near(8082) },
      readyPort: 'PORT',
      readyPath: '/v1/models',
    };
  }

  #service(name: string, port: PortWish, internalPort: PortWish, settings: Environment): ServiceDefinition {
    return {
      name,
      program: `services/${name}/src/main.ts`,
      environment: { ...this.#environment, ...settings },
      ports: { PORT: port, INTERNAL_PORT: internalPort },
      readyPort: 'INTERNAL_PORT',
      readyPath: '/health/ready',
    };
  }
}

function near(port: number): PortWish {
  return { port, option: undefined };
}
