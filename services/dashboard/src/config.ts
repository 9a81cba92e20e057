import {
  addressListSetting,
  checkGrpcTls,
  DEVELOPMENT_SESSION_SECRET,
  type Environment,
  GRPC_TLS_PAIR_MESSAGE,
  grpcTlsSettings,
  hostSetting,
  internalTokenSetting,
  isProduction,
  logLevelSetting,
  nodeEnvSetting,
  parseConfig,
  portSetting,
  sessionSecretSetting,
  trustProxySetting,
} from '@model-gateway/service-kit';
import { z } from 'zod';

/** Declares every setting of the dashboard; .env.example documents them. */
export function dashboardSettings(production: boolean) {
  return z.object({
    NODE_ENV: nodeEnvSetting,
    HOST: hostSetting(production),
    PORT: portSetting(8090),
    INTERNAL_PORT: portSetting(9090),
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    INTERNAL_TOKEN: internalTokenSetting(production),
    ...grpcTlsSettings,
    DATABASE_URL: z
      .string('is required: the URL of a Postgres database ("npm start" brings its own)')
      .regex(/^postgres(ql)?:\/\//, 'expected postgresql://user:password@host:port/database'),
    SESSION_SECRET: sessionSecretSetting(production),
    PUBLIC_URL: publicUrlSetting(production),
    SIGNUP: z.enum(['open', 'closed'], 'expected open or closed').default('open'),
    API_BASE_URL: apiUrlSetting.default('http://127.0.0.1:8080'),
    API_INTERNAL_URL: apiUrlSetting.optional(),
    CATALOG_URL: httpUrlSetting.default('http://127.0.0.1:8081'),
    TRUST_PROXY: trustProxySetting,
    LOG_LEVEL: logLevelSetting,
    OIDC_ISSUER: httpUrlSetting.optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    SMTP_URL: z
      .string()
      .refine(isSmtpUrl, 'expected smtp://[user:password@]host[:port], or smtps:// for TLS from the start')
      .optional(),
    MAIL_FROM: z
      .string()
      .max(320, 'must have at most 320 characters')
      .regex(/^[^\r\n]*@[^\r\n@]+$/, 'expected an e-mail address, or Name <address>')
      .optional(),
    OIDC_NAME: z.string().max(50, 'must have at most 50 characters').default('single sign-on'),
  });
}

/** Accepts an absolute URL and removes a trailing slash. */
const httpUrlSetting = z
  .string()
  .refine(isHttpUrl, 'expected a URL such as https://gateway.example.com')
  .transform((url) => url.replace(/\/+$/, ''));

/** Accepts a URL with or without /v1 and removes it. */
const apiUrlSetting = httpUrlSetting.transform((url) => url.replace(/\/v1$/, ''));

function publicUrlSetting(production: boolean) {
  const url = z
    .string('is required when NODE_ENV=production: where browsers find the dashboard')
    .refine(isOrigin, 'expected a URL without a path, such as https://dashboard.example.com')
    .transform((text) => new URL(text).origin);
  if (!production) return url.default('http://localhost:8090');
  return url.refine(
    (origin) => origin.startsWith('https:') || isLoopbackOrigin(origin),
    'must begin with https:// when NODE_ENV=production: cookies would go over the network in the clear',
  );
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return isHttpUrl(text) && url?.pathname === '/' && url.username === '' && url.password === '';
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname);
}

/** Returns true for loopback origins, which browsers reach without a network. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}

function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

export interface MailConfig {
  /** An smtp: or smtps: URL, with the password. */
  url: string;
  from: string;
  /** Requires STARTTLS, so that the SMTP password never crosses a network unencrypted. */
  requiresTls: boolean;
}

export type DashboardConfig = ReturnType<typeof parseDashboardConfig>;

/** @throws ConfigError that lists every problem */
export function parseDashboardConfig(environment: Environment) {
  const settings = parseConfig(
    dashboardSettings(isProduction(environment))
      .refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE)
      .refine(
        (given) => identityProviderParts(given).length % 3 === 0,
        'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together',
      ),
    environment,
  );
  const [issuer, clientId, clientSecret] = identityProviderParts(settings);
  return {
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    controlPlaneAddresses: settings.CONTROL_PLANE_ADDRESS,
    internalToken: settings.INTERNAL_TOKEN,
    grpcTls: { ca: settings.GRPC_TLS_CA, cert: settings.GRPC_TLS_CERT, key: settings.GRPC_TLS_KEY },
    databaseUrl: settings.DATABASE_URL,
    sessionSecret: settings.SESSION_SECRET,
    sessionSecretIsDevelopmentValue: settings.SESSION_SECRET === DEVELOPMENT_SESSION_SECRET,
    publicUrl: settings.PUBLIC_URL,
    signUpOpen: settings.SIGNUP === 'open',
    /** The API's address for users, and the one that this server uses; both without /v1. */
    apiBaseUrl: settings.API_BASE_URL,
    apiInternalUrl: settings.API_INTERNAL_URL ?? settings.API_BASE_URL,
    catalogUrl: settings.CATALOG_URL,
    trustProxy: settings.TRUST_PROXY,
    logLevel: settings.LOG_LEVEL,
    identityProvider:
      issuer === undefined || clientId === undefined || clientSecret === undefined
        ? undefined
        : { issuer, clientId, clientSecret, name: settings.OIDC_NAME },
    /** Undefined: the dashboard sends no mail, and users pass links on themselves. */
    mail: settings.SMTP_URL === undefined ? undefined : mailConfig(settings.SMTP_URL, settings),
  };
}

/** Returns the domain of the default sender. An IP address is not a valid mail domain. */
function mailDomain(hostname: string): string {
  return /[a-z]$/i.test(hostname) ? hostname : 'localhost';
}

function mailConfig(
  smtpUrl: string,
  { MAIL_FROM, PUBLIC_URL }: { MAIL_FROM?: string | undefined; PUBLIC_URL: string },
): MailConfig {
  const { hostname, password, protocol } = new URL(smtpUrl);
  return {
    url: smtpUrl,
    from: MAIL_FROM ?? `Model Gateway <no-reply@${mailDomain(new URL(PUBLIC_URL).hostname)}>`,
    requiresTls: protocol === 'smtp:' && password !== '' && !isLoopback(hostname),
  };
}

function identityProviderParts(given: {
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
}): string[] {
  const parts = [given.OIDC_ISSUER, given.OIDC_CLIENT_ID, given.OIDC_CLIENT_SECRET];
  return parts.filter((part) => part !== undefined);
}
