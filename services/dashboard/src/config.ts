import { mailConfig, mailSettings } from '@model-gateway/mail';
import {
  addressListSetting,
  apiUrlSetting,
  booleanSetting,
  checkGrpcTls,
  creditUrlSetting,
  DEVELOPMENT_SESSION_SECRET,
  type Environment,
  GRPC_TLS_PAIR_MESSAGE,
  grpcTlsSettings,
  hostSetting,
  httpUrlSetting,
  internalTokenSetting,
  isProduction,
  linkSetting,
  logLevelSetting,
  nodeEnvSetting,
  parseConfig,
  portSetting,
  productNameSetting,
  publicUrlSetting,
  sessionSecretSetting,
  trustProxySetting,
} from '@model-gateway/service-kit';
import { z } from 'zod';
import { emailDomainsSetting } from './config/email-domains.ts';
import {
  type IdentityProvider,
  parseNamedProviders,
  providerNamesSetting,
  singleProvider,
  singleProviderSettings,
} from './config/identity-providers.ts';
import { Problems } from './config/problems.ts';

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
    ...singleProviderSettings,
    OIDC_PROVIDERS: providerNamesSetting.default([]),
    SSO_ONLY: booleanSetting,
    ALLOWED_EMAIL_DOMAINS: emailDomainsSetting.optional(),
    ...mailSettings,
    PRODUCT_NAME: productNameSetting.default('Model Gateway'),
    PRODUCT_LOGO_URL: linkSetting.optional(),
    TERMS_URL: linkSetting.optional(),
    CREDIT_URL: creditUrlSetting.optional(),
    HIDE_UPSTREAMS: booleanSetting,
  });
}

export type DashboardConfig = ReturnType<typeof parseDashboardConfig>;

/** @throws ConfigError that lists every problem */
export function parseDashboardConfig(environment: Environment) {
  const problems = new Problems();
  const settings = problems.collect(() => parseConfig(settingsOf(environment), environment));
  const names = providerNamesSetting.safeParse(environment.OIDC_PROVIDERS || undefined).data ?? [];
  const named = problems.collect(() => parseNamedProviders(names, environment)) ?? [];
  problems.collect(() => parseConfig(signInRules, environment));
  problems.throwIfAny();
  if (settings === undefined) throw new Error('settings without a problem');
  return toConfig(settings, named);
}

function settingsOf(environment: Environment) {
  return dashboardSettings(isProduction(environment)).refine(checkGrpcTls, GRPC_TLS_PAIR_MESSAGE);
}

/** Rules about several settings, apart from their schema, so that problems of both are reported at once. */
const signInRules = z
  .record(z.string(), z.string().optional())
  .refine(
    ({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }) =>
      [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].filter(Boolean).length % 3 === 0,
    'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together',
  )
  .refine(
    ({ SSO_ONLY, OIDC_ISSUER, OIDC_PROVIDERS }) => SSO_ONLY !== 'true' || OIDC_ISSUER || OIDC_PROVIDERS,
    {
      path: ['SSO_ONLY'],
      error:
        'needs an identity provider: set OIDC_PROVIDERS, or OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    },
  );

function toConfig(
  settings: z.output<ReturnType<typeof dashboardSettings>>,
  named: readonly IdentityProvider[],
) {
  const single = singleProvider(settings);
  const ssoOnly = settings.SSO_ONLY;
  const mail = mailConfig(settings, { productName: settings.PRODUCT_NAME, publicUrl: settings.PUBLIC_URL });
  const signUpOpen = settings.SIGNUP === 'open';
  const allowedEmailDomains = settings.ALLOWED_EMAIL_DOMAINS;
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
    signUpOpen,
    /** The API's address for users, and the one that this server uses; both without /v1. */
    apiBaseUrl: settings.API_BASE_URL,
    apiInternalUrl: settings.API_INTERNAL_URL ?? settings.API_BASE_URL,
    catalogUrl: settings.CATALOG_URL,
    trustProxy: settings.TRUST_PROXY,
    logLevel: settings.LOG_LEVEL,
    identityProviders: [...(single === undefined ? [] : [single]), ...named],
    /** No passwords: nobody signs in, signs up or gets a reset link with one. */
    ssoOnly,
    /** Domains of the addresses that may sign up or use single sign-on; undefined: all. */
    allowedEmailDomains,
    /** True if accounts may do nothing before their address is verified. */
    addressNeedsProof: allowedEmailDomains !== undefined && mail !== undefined && !ssoOnly,
    product: {
      name: settings.PRODUCT_NAME,
      logoUrl: settings.PRODUCT_LOGO_URL,
      termsUrl: settings.TERMS_URL,
    },
    /** URL at which account holders buy credit; `{account_id}` stands for theirs. */
    creditUrl: settings.CREDIT_URL,
    /** True if account holders do not see which providers serve their requests. */
    hidesUpstreams: settings.HIDE_UPSTREAMS,
    /** Undefined: the dashboard sends no mail, and users pass links on themselves. */
    mail,
  };
}
