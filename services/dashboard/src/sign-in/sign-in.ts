import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import { type Auth, type CreateAuthContext, createAuth, IDENTITY_PROVIDER } from './create-auth.ts';
import type { HolderSession } from './holder-session.ts';
import { mapStoreFailure } from './map-store-failure.ts';

/** The longest that a request waits for the identity provider. */
const TIMEOUT_MS = 5_000;

/** Wraps the sign-in library, and recreates it once the identity provider can be reached. */
export class SignIn {
  readonly #context: CreateAuthContext;
  readonly #log: Logger;
  #auth: Auth;
  #knowsIdentityProvider = false;
  #renewing: Promise<void> | undefined;

  constructor(context: CreateAuthContext) {
    this.#context = context;
    this.#log = context.log;
    // The library serves nothing until it has reached the identity provider. Start without one, so that
    // password sign-in need not wait.
    this.#auth = createAuth({ ...context, config: { ...context.config, identityProvider: undefined } });
    inBackground(this.identityProviderIsKnown());
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
   * Returns true if single sign-on works. The library fetches the provider's endpoints only when created, so
   * after a failure this creates it again.
   */
  async identityProviderIsKnown(): Promise<boolean> {
    if (this.#context.config.identityProvider === undefined) return false;
    if (this.#knowsIdentityProvider) return true;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    inBackground(this.#renewing);
    await Promise.race([this.#renewing, wait(TIMEOUT_MS, undefined, { ref: false })]);
    return this.#knowsIdentityProvider;
  }

  /** Reads the session of a request; undefined without one. @throws DashboardError service_unavailable */
  async session({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): Promise<HolderSession | undefined> {
    if (cookie === undefined) return undefined;
    const { headers, response } = await mapStoreFailure(
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

  /** Hashes a password, slowly on purpose. */
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
