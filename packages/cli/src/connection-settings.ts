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
}

/** dev.json as text: `npm start` writes it into its data directory, and it says how to connect. */
export interface ConnectionFile {
  path: string;
  text: string;
}

export interface ConnectionSettings {
  /** `host:port` of every control plane. */
  addresses: readonly string[];
  adminToken: string;
  tls: GrpcTls;
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
  dashboard_url: httpUrl.optional(),
});

/** The environment variables of gatewayctl, besides GATEWAY_DATA_DIR. PUBLIC_URL is the dashboard's URL. */
function gatewayctlSettings(production: boolean) {
  return z.object({
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    ADMIN_TOKEN: adminTokenSetting(production),
    PUBLIC_URL: httpUrl.optional(),
    ...grpcTlsSettings,
  });
}

/**
 * Finds the settings, each from the first of: command line, environment, development file, development
 * default. The development file is parsed only if a setting comes from it.
 * @throws ConfigError that lists every problem
 */
export function connectionSettings(
  flags: ConnectionFlags,
  environment: Environment,
  file: ConnectionFile | undefined,
): ConnectionSettings {
  const address = flags.controlPlane ?? (environment.CONTROL_PLANE_ADDRESS || undefined);
  const token = flags.adminToken ?? (environment.ADMIN_TOKEN || undefined);
  const isFileNeeded = address === undefined || token === undefined;
  const fallback = isFileNeeded && file !== undefined ? parseConnectionFile(file) : {};
  const settings = parseConfig(
    gatewayctlSettings(isProduction(environment)).refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE),
    {
      ...environment,
      CONTROL_PLANE_ADDRESS: address ?? fallback.control_plane_address,
      ADMIN_TOKEN: token ?? fallback.admin_token,
      // The file's dashboard belongs to the file's gateway, not to one that a flag or variable names.
      PUBLIC_URL: environment.PUBLIC_URL || (address === undefined ? fallback.dashboard_url : undefined),
    },
  );
  return {
    addresses: settings.CONTROL_PLANE_ADDRESS,
    adminToken: settings.ADMIN_TOKEN,
    tls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    dashboardUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    isOfNpmStart: address === undefined && fallback.control_plane_address !== undefined,
  };
}

function parseConnectionFile({ path, text }: ConnectionFile): z.infer<typeof connectionFile> {
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
