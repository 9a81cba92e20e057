import {
  addressListSetting,
  adminTokenSetting,
  ConfigError,
  checkGrpcTls,
  type Environment,
  GRPC_TLS_PAIR_MESSAGE,
  type GrpcTls,
  grpcTlsSettings,
  isProduction,
  parseConfig,
} from '@model-gateway/service-kit';
import { formatIssues } from '@model-gateway/shared';
import { z } from 'zod';

/** The command-line options for the connection to the control plane. */
export interface ConnectionFlags {
  controlPlane?: string | undefined;
  adminToken?: string | undefined;
  url?: string | undefined;
  /** Admin key, already read from standard input if the option was `-`. */
  token?: string | undefined;
}

/** dev.json as text: `npm start` writes it into its data directory, and it says how to connect. */
export interface ConnectionFile {
  path: string;
  text: string;
}

/** Control planes that are called by gRPC. */
export interface GrpcServer {
  by: 'grpc';
  /** `host:port` of every control plane. */
  addresses: readonly string[];
  adminToken: string;
  tls: GrpcTls;
}

/** Management API. */
export interface HttpServer {
  by: 'http';
  /** Without a slash at its end. */
  url: string;
  /** Admin key. */
  token: string;
}

export interface ConnectionSettings {
  server: GrpcServer | HttpServer;
  /** The dashboard's URL, without a slash at its end; undefined when it is not known. */
  dashboardUrl: string | undefined;
  /** True if the address is that of `npm start` in the data directory. */
  isOfNpmStart: boolean;
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'expected a URL such as https://gateway.example.com' });

/** The members used here. The file has more, such as `base_url` and `api_key`. */
const connectionFile = z.object({
  control_plane_address: z.string().optional(),
  admin_token: z.string().optional(),
  admin_url: httpUrl.optional(),
  dashboard_url: httpUrl.optional(),
});

type ConnectionFileContent = z.infer<typeof connectionFile>;

/** PUBLIC_URL is the dashboard's URL. */
const publicUrl = { PUBLIC_URL: httpUrl.optional() };

/** The environment variables of gatewayctl for gRPC, besides GATEWAY_DATA_DIR. */
function grpcSettings(production: boolean) {
  return z.object({
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    ADMIN_TOKEN: adminTokenSetting(production),
    ...publicUrl,
    ...grpcTlsSettings,
  });
}

const httpSettings = z.object({
  GATEWAY_ADMIN_URL: httpUrl
    .refine((url) => !url.includes('@'), 'expected a URL without a user name or password')
    .default('http://127.0.0.1:8091')
    // People also copy the URL of the API itself.
    .transform((url) => url.replace(/(\/admin\/v1)?\/*$/, '')),
  GATEWAY_ADMIN_KEY: z
    .string('is required for calls over HTTP: an admin key (gatewayctl admin-keys create), or --token')
    .startsWith('gw_admin_', 'expected an admin key, which begins with gw_admin_'),
  ...publicUrl,
});

/**
 * Finds the settings, each from the first of: command line, environment, development file, development
 * default. The development file is parsed only if a setting comes from it. Calls go over HTTP when an option
 * says so, or GATEWAY_ADMIN_URL and no option for gRPC.
 * @throws ConfigError that lists every problem
 */
export function connectionSettings(
  flags: ConnectionFlags,
  environment: Environment,
  file: ConnectionFile | undefined,
): ConnectionSettings {
  const isGrpcNamed = flags.controlPlane !== undefined || flags.adminToken !== undefined;
  const isHttpNamed = flags.url !== undefined || flags.token !== undefined;
  return isHttpNamed || (!isGrpcNamed && Boolean(environment.GATEWAY_ADMIN_URL))
    ? httpConnection(flags, environment, file)
    : grpcConnection(flags, environment, file);
}

function grpcConnection(
  flags: ConnectionFlags,
  environment: Environment,
  file: ConnectionFile | undefined,
): ConnectionSettings {
  const address = flags.controlPlane ?? (environment.CONTROL_PLANE_ADDRESS || undefined);
  const token = flags.adminToken ?? (environment.ADMIN_TOKEN || undefined);
  const isFileNeeded = address === undefined || token === undefined;
  const fallback = isFileNeeded && file !== undefined ? parseConnectionFile(file) : {};
  const settings = parseConfig(
    grpcSettings(isProduction(environment)).refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE),
    {
      ...environment,
      CONTROL_PLANE_ADDRESS: address ?? fallback.control_plane_address,
      ADMIN_TOKEN: token ?? fallback.admin_token,
      PUBLIC_URL: dashboardUrl(address, environment, fallback),
    },
  );
  return {
    server: {
      by: 'grpc',
      addresses: settings.CONTROL_PLANE_ADDRESS,
      adminToken: settings.ADMIN_TOKEN,
      tls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    },
    dashboardUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    isOfNpmStart: address === undefined && fallback.control_plane_address !== undefined,
  };
}

function httpConnection(
  flags: ConnectionFlags,
  environment: Environment,
  file: ConnectionFile | undefined,
): ConnectionSettings {
  const url = flags.url ?? (environment.GATEWAY_ADMIN_URL || undefined);
  const fallback = url === undefined && file !== undefined ? parseConnectionFile(file) : {};
  const settings = parseConfig(httpSettings, {
    GATEWAY_ADMIN_URL: url ?? fallback.admin_url,
    GATEWAY_ADMIN_KEY: flags.token ?? environment.GATEWAY_ADMIN_KEY,
    PUBLIC_URL: dashboardUrl(url, environment, fallback),
  });
  return {
    server: { by: 'http', url: settings.GATEWAY_ADMIN_URL, token: settings.GATEWAY_ADMIN_KEY },
    dashboardUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    isOfNpmStart: url === undefined && fallback.admin_url !== undefined,
  };
}

/** The file's dashboard belongs to the file's gateway, not to one that a flag or variable names. */
function dashboardUrl(
  named: string | undefined,
  environment: Environment,
  { dashboard_url }: ConnectionFileContent,
): string | undefined {
  return environment.PUBLIC_URL || (named === undefined ? dashboard_url : undefined);
}

function parseConnectionFile({ path, text }: ConnectionFile): ConnectionFileContent {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new ConfigError([`${path} is not JSON; start the gateway again, or remove the file`]);
  }
  const result = connectionFile.safeParse(content);
  if (result.success) return result.data;
  throw new ConfigError(
    formatIssues(result.error).map(
      (issue) => `${path}: ${issue.path ? `${issue.path}: ` : ''}${issue.message}`,
    ),
  );
}
