import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { nodeProgram, type Program, type ProgramOptions, ROOT } from './program.ts';

const READY_MS = 60_000;

export interface ServiceOptions extends Pick<ProgramOptions, 'logDir' | 'cores'> {
  service: 'control-plane' | 'data-plane' | 'catalog' | 'dashboard';
  /** Distinguishes it from others of the same run. */
  name: string;
  /** The folder of another copy of the repository. */
  root?: string | undefined;
  nodeArgs?: readonly string[];
  environment: (port: number, internalPort: number) => Environment;
  /** Fixed ports, if it was started before. */
  ports?: Pick<Service, 'port' | 'internalPort'>;
}

/** A running service of the gateway. */
export interface Service {
  program: Program;
  port: number;
  internalPort: number;
  /** `127.0.0.1:PORT` */
  address: string;
  url: string;
}

/** Starts a service and waits until it is ready. @throws if it ends first or takes too long */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { service, name, environment, ports, ...others } = options;
  const { port, internalPort } = ports ?? { port: await freePort(), internalPort: await freePort() };
  const program = await nodeProgram({
    ...others,
    name: `${service}-${name}`,
    file: programOf(service, options.root),
    environment: environment(port, internalPort),
    ipc: true,
  });
  try {
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  const address = `127.0.0.1:${port}`;
  return { program, port, internalPort, address, url: `http://${address}` };
}

/** Returns the bundle, which users start. Older copies of the repository have none. */
function programOf(service: ServiceOptions['service'], root = ROOT): string {
  const bundle = `dist/${service}/main.mjs`;
  return existsSync(join(root, bundle)) ? bundle : `services/${service}/src/main.ts`;
}
