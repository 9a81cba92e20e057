import type { Logger } from '@model-gateway/service-kit';
import type { BetterAuthOptions } from 'better-auth';
import { betterAuth } from 'better-auth/minimal';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { z } from 'zod';
import { PASSWORD_LENGTH } from '../../wire/password-length.ts';
import type { SignInWay } from '../../wire/security.ts';
import type { IdentityProvider } from '../config/identity-providers.ts';
import type { DashboardConfig } from '../config.ts';
import { ownOrigins } from '../http/own-origin.ts';
import { claimsOf, noteAuthentication } from './authentication-time.ts';
import { checkProfile } from './check-profile.ts';
import { passkeySessions } from './passkey-sessions.ts';
import { notedResponse } from './provider-response.ts';
import { noteGroups } from './sign-in-groups.ts';
import type { LibraryAdapter, UserStore } from './user-store.ts';

/** Set by this server; a client's own value never reaches the library. */
export const CLIENT_IP_HEADER = 'x-dashboard-client-ip';
export const AUTH_PATH = '/api/auth';

const DAY_SECONDS = 86_400;

export interface CreateAuthContext {
  config: Pick<
    DashboardConfig,
    'publicUrl' | 'sessionSecret' | 'identityProviders' | 'allowedEmailDomains' | 'ssoOnly' | 'product'
  >;
  userStore: UserStore;
  log: Logger;
}

export type Auth = ReturnType<typeof createAuth>;

interface AuthParts {
  /** Adds single sign-on, whose endpoints are fetched once, now; left out: only passwords and sessions. */
  provider?: IdentityProvider;
  /**
   * Adapter of a transaction; left out: calls are in none. Turns off the library's rate limits: a rollback
   * would undo their counts.
   */
  transaction?: LibraryAdapter;
}

/** Creates the sign-in library. */
export function createAuth(
  { config, userStore, log }: CreateAuthContext,
  { provider, transaction }: AuthParts = {},
) {
  const options = {
    baseURL: config.publicUrl,
    basePath: AUTH_PATH,
    secret: config.sessionSecret,
    database: transaction ?? userStore.libraryAdapter(),
    trustedOrigins: ownOrigins(config.publicUrl),
    user: { modelName: 'dashboardUser' },
    session: {
      modelName: 'dashboardSession',
      // The first use on a day extends the session for another week.
      expiresIn: 7 * DAY_SECONDS,
      updateAge: DAY_SECONDS,
      // New rows have the defaults of the database.
      additionalFields: {
        provedAt: { type: 'date', required: false, input: false },
        usedAt: { type: 'date', required: false, input: false },
        activeAccountId: { type: 'string', required: false, input: false },
        viewedAccountId: { type: 'string', required: false, input: false },
        signInWay: { type: 'string', required: false, input: false },
      },
    },
    account: {
      modelName: 'dashboardCredential',
      encryptOAuthTokens: true,
      updateAccountOnSignIn: false,
      // Never link by address alone: anybody can claim an address. UserStore.admitVerified links users with a
      // verified address before the library looks them up.
      accountLinking: { enabled: false },
    },
    verification: { modelName: 'dashboardVerification' },
    emailAndPassword: {
      enabled: !config.ssoOnly,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
    },
    databaseHooks: {
      account: { create: { before: async (row: object) => ({ data: withoutTokens(row) }) } },
      session: {
        create: {
          before: async (row: object, call) => ({
            // A session that replaces another one of the same user has its way.
            data: {
              ...(provider === undefined ? { signInWay: wayOf(call?.path) } : providerFields()),
              ...row,
            },
          }),
        },
      },
    },
    plugins: [
      twoFactor({
        issuer: config.product.name,
        schema: { twoFactor: { modelName: 'dashboardTwoFactor' } },
      }),
      passkeySessions,
      ...(provider === undefined ? [] : [singleSignOn(config, provider, { log, userStore })]),
    ],
    rateLimit: {
      enabled: transaction === undefined,
      storage: 'database',
      modelName: 'dashboardRateLimit',
      window: 60,
      max: 100,
      // Per client address. A window restarts after `window` seconds without an attempt.
      customRules: {
        '/get-session': false,
        '/sign-in/email': { window: 60, max: 20 },
        '/sign-in/social': { window: 60, max: 20 },
        '/sign-up/email': { window: 60, max: 10 },
        // The codes of one sign-in, and of one user, have limits of their own (docs/dashboard.md).
        '/two-factor/*': { window: 60, max: 20 },
      },
    },
    advanced: {
      cookiePrefix: 'dashboard',
      useSecureCookies: config.publicUrl.startsWith('https:'),
      ipAddress: { ipAddressHeaders: [CLIENT_IP_HEADER] },
      // Set explicitly, because NODE_ENV=test would turn these checks off.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    telemetry: { enabled: false },
    onAPIError: { throw: true, errorURL: `${config.publicUrl}/sign-in` },
    logger: {
      level: 'warn',
      disableColors: true,
      log: (level, message, ...details: unknown[]) =>
        log[level === 'error' ? 'warn' : 'debug'](
          { error: details.find((each) => each instanceof Error) },
          `sign-in: ${message}`,
        ),
    },
  } satisfies BetterAuthOptions;
  return betterAuth(options);
}

function singleSignOn(
  config: CreateAuthContext['config'],
  provider: IdentityProvider,
  { log, userStore }: { log: Logger; userStore: Pick<UserStore, 'admitVerified'> },
) {
  const providerId = provider.id;
  const rivalIds = config.identityProviders.map(({ id }) => id).filter((id) => id !== providerId);
  return genericOAuth({
    config: [
      {
        providerId,
        name: provider.name,
        discoveryUrl: discoveryUrl(provider.issuer),
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        scopes: ['openid', 'email', 'profile', ...provider.scopes],
        pkce: true,
        requireIdTokenVerification: true,
        accountSubject: async ({ profile, tokens: { idToken } }) => {
          if (idToken === undefined) return subjectOf(profile);
          await noteAuthentication(idToken);
          return subjectOf(claimsOf(idToken));
        },
        mapProfileToUser: async (profile) => {
          const { subject, email, isVerified, isOwner } = checkProfile(config, provider, profile);
          noteGroups(log, provider, profile);
          if (isVerified && subject !== undefined) {
            await userStore.admitVerified({ providerId, subject, email, rivalIds: isOwner ? [] : rivalIds });
          }
          return { emailVerified: isVerified };
        },
        disableProviderLogout: true,
      },
    ],
  });
}

/** Returns where a provider publishes its endpoints. */
export function discoveryUrl(issuer: string): string {
  return `${issuer}/.well-known/openid-configuration`;
}

const subjectClaim = z.object({ sub: z.string() });

/** Returns a person's id at the provider. Without one, returns '', which the library refuses. */
function subjectOf(claims: object): string {
  return subjectClaim.safeParse(claims).data?.sub ?? '';
}

/** Returns the fields of a session that begins with a sign-in at an identity provider. */
function providerFields(): { signInWay: SignInWay; provedAt?: Date } {
  const { authenticatedAt } = notedResponse();
  return { signInWay: 'identity_provider', ...(authenticatedAt && { provedAt: authenticatedAt }) };
}

/** Returns how a session begins that a route of the library creates. */
function wayOf(path: string | undefined): SignInWay {
  return path?.startsWith('/two-factor/') ? 'code' : 'password';
}

/** Drops the tokens, which nothing needs after the sign-in. */
function withoutTokens(row: object): object {
  return { ...row, accessToken: null, refreshToken: null, idToken: null };
}
