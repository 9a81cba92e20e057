import { randomBytes } from 'node:crypto';
import type { Environment } from '@model-gateway/service-kit';
import { PROVIDER_CREDENTIAL } from './bench-catalog.ts';

/** Settings of a gateway's services: those of production, but on one machine. */
export class GatewaySettings {
  readonly internalToken = secret();
  readonly adminToken = secret();
  readonly pepper: string;
  readonly #sessionSecret = secret();
  readonly #common: Environment;

  /** @param pepper of existing keys */
  constructor(environment: Environment, redisUrl: string | undefined, pepper = secret()) {
    this.pepper = pepper;
    this.#common = {
      PATH: environment.PATH,
      HOME: environment.HOME,
      NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE,
      // In production a gateway refuses to count limits in the memory of one process.
      NODE_ENV: redisUrl === undefined ? 'development' : 'production',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      INTERNAL_TOKEN: this.internalToken,
      API_KEY_LOOKUP_PEPPER: this.pepper,
      REDIS_URL: redisUrl,
    };
  }

  controlPlane(databaseUrl: string, port: number, internalPort: number): Environment {
    const ports = { ...this.#at(port, internalPort), ADMIN_PORT: '0' };
    return { ...ports, DATABASE_URL: databaseUrl, ADMIN_TOKEN: this.adminToken };
  }

  dashboard(controlPlane: string, databaseUrl: string, port: number, internalPort: number): Environment {
    return {
      ...this.#at(port, internalPort),
      DATABASE_URL: databaseUrl,
      CONTROL_PLANE_ADDRESS: controlPlane,
      SESSION_SECRET: this.#sessionSecret,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
  }

  catalog(controlPlane: string, port: number, internalPort: number): Environment {
    // The load generator acts as load balancer: it reports the client address of each request.
    return { ...this.#at(port, internalPort), CONTROL_PLANE_ADDRESS: controlPlane, TRUST_PROXY: '1' };
  }

  dataPlane(controlPlane: string, port: number, internalPort: number): Environment {
    return {
      ...this.#at(port, internalPort),
      CONTROL_PLANE_ADDRESS: controlPlane,
      DRAIN_TIMEOUT_MS: '1000',
      [PROVIDER_CREDENTIAL]: secret(),
    };
  }

  #at(port: number, internalPort: number): Environment {
    return { ...this.#common, PORT: String(port), INTERNAL_PORT: String(internalPort) };
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
