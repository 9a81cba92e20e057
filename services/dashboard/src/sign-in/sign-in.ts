import type { IncomingHttpHeaders } from 'node:http';
import { inBackground } from '@model-gateway/service-kit';
import type { IdentityProvider } from '../config/identity-providers.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { noSingleSignOn, wrongPassword } from '../errors/sign-in-errors.ts';
import { type Auth, type CreateAuthContext, createAuth } from './create-auth.ts';
import type { HolderSession } from './holder-session.ts';
import { mapStoreFailure } from './map-store-failure.ts';
import { ProviderSignIn } from './provider-sign-in.ts';
import type { UserChange } from './sign-in-change-store.ts';

/** Wraps the sign-in library: one for passwords and sessions, and one for each identity provider. */
export class SignIn {
  readonly #context: CreateAuthContext;
  readonly #auth: Auth;
  readonly #providers: ReadonlyMap<string, ProviderSignIn>;

  constructor(context: CreateAuthContext) {
    this.#context = context;
    // Without a provider, sessions and passwords never wait for one.
    this.#auth = createAuth(context);
    const entry = (provider: IdentityProvider) =>
      [provider.id, new ProviderSignIn(context, provider)] as const;
    this.#providers = new Map(context.config.identityProviders.map(entry));
    for (const provider of this.#providers.values()) inBackground(provider.auth());
  }

  /** @throws if the tables do not fit the library */
  async check(): Promise<void> {
    const { checkSchema } = await this.#auth.$context;
    await checkSchema?.();
  }

  /** Calls one of the library's routes. @throws DashboardError service_unavailable */
  call(request: Request): Promise<Response> {
    return mapStoreFailure(this.#auth.handler(request));
  }

  /**
   * Calls a route that changes the user's sign-in, in one transaction with the record of the change.
   * @throws DashboardError service_unavailable
   */
  change(request: Request, change: UserChange): Promise<Response> {
    return this.#context.userStore.change(change, (transaction) =>
      createAuth(this.#context, { transaction }).handler(request),
    );
  }

  /**
   * Calls a route of single sign-on with a provider.
   * @throws DashboardError not_found (no such provider), service_unavailable, and those of checkProfile
   */
  async callProvider(providerId: string, request: Request): Promise<Response> {
    const provider = this.#providers.get(providerId);
    if (provider === undefined) throw noSingleSignOn();
    const auth = await provider.auth();
    if (auth === undefined) throw provider.failure();
    return await mapStoreFailure(auth.handler(request));
  }

  /** Reads the session of a request; undefined without one. @throws DashboardError service_unavailable */
  async session({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): Promise<HolderSession | undefined> {
    if (cookie === undefined) return undefined;
    const { headers, response } = await mapStoreFailure(
      this.#auth.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true }),
    );
    if (response === null) return undefined;
    const { id, email, name, emailVerified, twoFactorEnabled } = response.user;
    const { id: sessionId, provedAt, usedAt, activeAccountId, viewedAccountId } = response.session;
    return {
      id: sessionId,
      user: { id, email, name, emailVerified, hasApp: twoFactorEnabled === true },
      provedAt: provedAt ?? new Date(0),
      usedAt: usedAt ?? new Date(0),
      activeAccountId: activeAccountId ?? null,
      viewedAccountId: viewedAccountId ?? null,
      setCookies: headers.getSetCookie(),
    };
  }

  /**
   * Creates a session for somebody who has proved to be this user.
   * @param request of the browser: its address and name are stored
   * @throws DashboardError service_unavailable
   */
  createSession(userId: string, { headers }: Request): Promise<Response> {
    return mapStoreFailure(
      this.#auth.api.createPasskeySession({ body: { userId }, headers, asResponse: true }),
    );
  }

  /**
   * Checks the password of a session's user.
   * @throws DashboardError wrong_credentials, signed_out, service_unavailable
   */
  async checkPassword({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>, password: string): Promise<void> {
    const headers = new Headers({ cookie });
    const response = await mapStoreFailure(
      this.#auth.api.verifyPassword({ body: { password }, headers, asResponse: true }),
    );
    if (response.status === 400) throw wrongPassword();
    if (response.status > 400) throw await mapSignInError(response);
  }

  /** Counts the backup codes that are left. @throws DashboardError service_unavailable */
  async countBackupCodes(userId: string): Promise<number> {
    const { backupCodes } = await mapStoreFailure(this.#auth.api.viewBackupCodes({ body: { userId } }));
    return backupCodes.length;
  }

  /** Hashes a password, slowly on purpose. */
  async hashPassword(password: string): Promise<string> {
    const { password: passwords } = await this.#auth.$context;
    return await passwords.hash(password);
  }
}
