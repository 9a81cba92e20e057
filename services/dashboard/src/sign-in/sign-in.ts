import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@model-gateway/service-kit';
import { type Auth, type CreateAuthContext, createAuth, IDENTITY_PROVIDER } from './create-auth.ts';
import type { HolderSession } from './holder-session.ts';
import { signInUnavailable } from './sign-in-unavailable.ts';

/** A browser waits so long for an identity provider that does not answer. */
const PATIENCE_MS = 5_000;

/** The sign-in library, and the questions that this server asks it. */
export class SignIn {
  readonly #context: CreateAuthContext;
  readonly #log: Logger;
  #auth: Auth;
  #knowsIdentityProvider = false;
  #renewing: Promise<void> | undefined;

  constructor(context: CreateAuthContext) {
    this.#context = context;
    this.#log = context.log;
    // The library answers nothing until it has reached the identity provider, and passwords must not wait for
    // that. So it starts without one.
    this.#auth = createAuth({ ...context, config: { ...context.config, identityProvider: undefined } });
    void this.identityProviderIsKnown();
  }

  /** @throws when the tables do not fit the library: checked at the start, and not by a request */
  async check(): Promise<void> {
    const { checkSchema } = await this.#auth.$context;
    await checkSchema?.();
  }

  /** Answers one of the library's routes. @throws DashboardError service_unavailable */
  answer(request: Request): Promise<Response> {
    return signInUnavailable(this.#auth.handler(request));
  }

  /**
   * The library asks the identity provider for its endpoints only when it starts. If that has failed, the
   * library is made again.
   * @returns true if users can sign in that way
   */
  async identityProviderIsKnown(): Promise<boolean> {
    if (this.#context.config.identityProvider === undefined) return false;
    if (this.#knowsIdentityProvider) return true;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    await Promise.race([this.#renewing, wait(PATIENCE_MS, undefined, { ref: false })]);
    return this.#knowsIdentityProvider;
  }

  /** The session that sent a request; undefined: nobody's. @throws DashboardError service_unavailable */
  async session({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): Promise<HolderSession | undefined> {
    if (cookie === undefined) return undefined;
    const { headers, response } = await signInUnavailable(
      this.#auth.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true }),
    );
    if (response === null) return undefined;
    const { id, email, name, emailVerified } = response.user;
    return {
      id: response.session.id,
      user: { id, email, name, emailVerified },
      setCookies: headers.getSetCookie(),
    };
  }

  /** Makes the hash that is stored for a password. It is slow on purpose. */
  async hashPassword(password: string): Promise<string> {
    const { password: passwords } = await this.#auth.$context;
    return await passwords.hash(password);
  }

  async #renew(): Promise<void> {
    try {
      const auth = createAuth(this.#context);
      const { socialProviders } = await auth.$context;
      if (!socialProviders.some(({ id }) => id === IDENTITY_PROVIDER)) return;
      this.#auth = auth;
      this.#knowsIdentityProvider = true;
      this.#log.info('single sign-on is ready');
    } catch (error) {
      this.#log.warn({ error }, 'single sign-on cannot be made ready');
    }
  }
}
