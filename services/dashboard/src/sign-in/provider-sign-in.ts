import { setTimeout as wait } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { IdentityProvider } from '../config/identity-providers.ts';
import { type Auth, type CreateAuthContext, createAuth } from './create-auth.ts';

/** Maximum time that a request waits for an identity provider. */
const TIMEOUT_MS = 5_000;

/**
 * The sign-in library with one identity provider. The library fetches a provider's endpoints only when it is
 * created, so each provider has a library of its own, which is created again until that succeeds.
 */
export class ProviderSignIn {
  readonly #context: CreateAuthContext;
  readonly #provider: IdentityProvider;
  readonly #log: Logger;
  #auth: Auth | undefined;
  #creating: Promise<void> | undefined;

  constructor(context: CreateAuthContext, provider: IdentityProvider) {
    this.#context = context;
    this.#provider = provider;
    this.#log = context.log;
  }

  /** Returns the library; undefined while the provider cannot be reached. */
  async auth(): Promise<Auth | undefined> {
    if (this.#auth !== undefined) return this.#auth;
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    inBackground(this.#creating);
    await Promise.race([this.#creating, wait(TIMEOUT_MS, undefined, { ref: false })]);
    return this.#auth;
  }

  async #create(): Promise<void> {
    const { id } = this.#provider;
    try {
      const auth = createAuth(this.#context, this.#provider);
      const { socialProviders } = await auth.$context;
      if (!socialProviders.some((provider) => provider.id === id)) return;
      this.#auth = auth;
      this.#log.info({ identity_provider: id }, 'single sign-on is ready');
    } catch (error) {
      this.#log.warn({ error, identity_provider: id }, 'single sign-on cannot be made ready');
    }
  }
}
