import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@model-gateway/service-kit';
import { type Auth, type CreateAuthContext, createAuth, IDENTITY_PROVIDER } from './create-auth.ts';
import type { HolderSession } from './holder-session.ts';
import { signInUnavailable } from './sign-in-unavailable.ts';

/** The sign-in library, and what this server asks of it. */
export class SignIn {
  readonly #context: CreateAuthContext;
  readonly #log: Logger;
  #auth: Auth;
  #renewing: Promise<void> | undefined;

  constructor(context: CreateAuthContext) {
    this.#context = context;
    this.#log = context.log;
    this.#auth = createAuth(context);
  }

  /** @throws when the tables do not fit the library, so that no request finds that out */
  async check(): Promise<void> {
    const { checkSchema } = await this.#auth.$context;
    await checkSchema?.();
  }

  /**
   * Answers one of the library's routes.
   * @throws DashboardError service_unavailable
   */
  answer(request: Request): Promise<Response> {
    return signInUnavailable(this.#auth.handler(request));
  }

  /**
   * The library asks the identity provider for its endpoints when it starts, and never again: where that failed, it
   * is started anew.
   * @returns whether one can sign in that way
   */
  async identityProviderIsKnown(): Promise<boolean> {
    if (this.#context.config.identityProvider === undefined) return false;
    if (await knowsIdentityProvider(this.#auth)) return true;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
    return await knowsIdentityProvider(this.#auth);
  }

  /**
   * Who sent a request; undefined: nobody who is signed in.
   * @throws DashboardError service_unavailable
   */
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

  /** What is stored of a password; takes a while, on purpose. */
  async hashPassword(password: string): Promise<string> {
    const { password: passwords } = await this.#auth.$context;
    return await passwords.hash(password);
  }

  async #renew(): Promise<void> {
    const auth = createAuth(this.#context);
    if (!(await knowsIdentityProvider(auth))) return;
    this.#auth = auth;
    this.#log.info('the identity provider can be reached');
  }
}

async function knowsIdentityProvider(auth: Auth): Promise<boolean> {
  const { socialProviders } = await auth.$context;
  return socialProviders.some(({ id }) => id === IDENTITY_PROVIDER);
}
