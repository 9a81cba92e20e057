import { isAbsolute, join } from 'node:path';
import { ConfigError, type Environment, isProduction, parseConfig } from '@model-gateway/service-kit';
import { Command } from 'commander';
import { z } from 'zod';

export interface PreferredPort {
  port: number;
  /** The option that requires this port; undefined: another port is fine. */
  option: string | undefined;
}

export interface StartOptions {
  gatewayPort: PreferredPort;
  dashboardPort: PreferredPort;
  /** Port of the management API. */
  adminPort: PreferredPort;
  /** An absolute path. */
  dataDir: string;
  /** An absolute path; undefined for the bundled catalogs. */
  catalogFile: string | undefined;
}

const DEFAULT_GATEWAY_PORT = 8080;
const DEFAULT_DASHBOARD_PORT = 8090;
const DEFAULT_ADMIN_PORT = 8091;

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port number, 1 to 65535')
  .transform(Number)
  .pipe(
    z.int().min(1, 'expected a port number, 1 to 65535').max(65_535, 'expected a port number, 1 to 65535'),
  );

/** The environment variables of `npm start`, besides those that it passes to the services. */
const settings = z.object({
  GATEWAY_PORT: port.optional(),
  DASHBOARD_PORT: port.optional(),
  ADMIN_PORT: port.optional(),
  GATEWAY_DATA_DIR: z.string().default('.gateway'),
  GATEWAY_CATALOG: z.string().optional(),
});
export const QUICK_START_SETTINGS: readonly string[] = Object.keys(settings.shape);

/**
 * Parses the options. The command line comes before the environment.
 * @param args after the program's name
 * @param folder relative paths start here
 * @throws ConfigError that lists every problem; CommanderError when the command line is not understood
 */
export function parseOptions(
  args: readonly string[],
  environment: Environment,
  folder: string,
): StartOptions {
  const program = new Command('npm start --')
    .description('Starts a whole model gateway on this machine: database, services, a simulated provider.')
    .option('--port <port>', 'port of the gateway (GATEWAY_PORT; default: 8080, or the next free one)')
    .option(
      '--dashboard-port <port>',
      'port of the dashboard (DASHBOARD_PORT; default: 8090, or the next free)',
    )
    .option(
      '--admin-port <port>',
      'port of the management API (ADMIN_PORT; default: 8091, or the next free one)',
    )
    .option('--data-dir <folder>', 'folder for all data (GATEWAY_DATA_DIR; default: .gateway)')
    .option('--catalog <file>', 'file with providers and models to serve (GATEWAY_CATALOG)')
    .allowExcessArguments(true)
    .exitOverride();
  const flags: {
    port?: string;
    dashboardPort?: string;
    adminPort?: string;
    dataDir?: string;
    catalog?: string;
  } = program.parse(args, { from: 'user' }).opts();
  const [excess] = program.args;
  if (excess !== undefined) {
    // npm keeps an option before "--" for itself, and passes on its value.
    throw new ConfigError([
      `cannot understand ${JSON.stringify(excess)}: options go after "--", as in npm start -- --port 9000`,
    ]);
  }
  if (isProduction(environment)) {
    throw new ConfigError([
      'npm start is for development, but NODE_ENV is production: ' +
        'run each service with "npm run --silent service -- NAME"',
    ]);
  }
  const parsed = parseConfig(settings, {
    GATEWAY_PORT: flags.port ?? environment.GATEWAY_PORT,
    DASHBOARD_PORT: flags.dashboardPort ?? environment.DASHBOARD_PORT,
    ADMIN_PORT: flags.adminPort ?? environment.ADMIN_PORT,
    GATEWAY_DATA_DIR: flags.dataDir ?? environment.GATEWAY_DATA_DIR,
    GATEWAY_CATALOG: flags.catalog ?? environment.GATEWAY_CATALOG,
  });
  const absolute = (path: string) => (isAbsolute(path) ? path : join(folder, path));
  return {
    gatewayPort: preferredPort('--port', parsed.GATEWAY_PORT, DEFAULT_GATEWAY_PORT),
    dashboardPort: preferredPort('--dashboard-port', parsed.DASHBOARD_PORT, DEFAULT_DASHBOARD_PORT),
    adminPort: preferredPort('--admin-port', parsed.ADMIN_PORT, DEFAULT_ADMIN_PORT),
    dataDir: absolute(parsed.GATEWAY_DATA_DIR),
    catalogFile: parsed.GATEWAY_CATALOG === undefined ? undefined : absolute(parsed.GATEWAY_CATALOG),
  };
}

function preferredPort(option: string, port: number | undefined, otherwise: number): PreferredPort {
  return port === undefined ? { port: otherwise, option: undefined } : { port, option };
}
