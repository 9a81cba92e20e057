import { setTimeout as wait } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import { type IdentityProvider, settingOf } from '../config/identity-providers.ts';
import { identityProviderMisconfigured, identityProviderUnreachable } from '../errors/availability-errors.ts';
import type { DashboardError } from '../errors/dashboard-error.ts';
import { type Auth, type CreateAuthContext, createAuth, discoveryUrl } from './create-auth.ts';

const discoveryDocument = z.object({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
});

/** Maximum time that a request waits for an identity provider. */
const TIMEOUT_MS = 5_000;

/**
 * The sign-in library with one identity provider. The library fetches a provider's endpoints only when it is
 * created, so each provider has a library of its own, created again until that succeeds. Requires the
 * discovery document to name the configured issuer (OpenID Connect Discovery 1.0, 4.3): the library accepts
 * any, and checks ID tokens against it.
 */
export class ProviderSignIn {
  readonly #context: CreateAuthContext;
  readonly #provider: IdentityProvider;
  readonly #log: Logger;
  #auth: Auth | undefined;
  #creating: Promise<void> | undefined;
  #hasOtherIssuer = false;

  constructor(context: CreateAuthContext, provider: IdentityProvider) {
    this.#context = context;
    this.#provider = provider;
    this.#log = context.log;
  }

  /** Returns the library; undefined while the provider cannot be used, which `failure` explains. */
  async auth(): Promise<Auth | undefined> {
    if (this.#auth !== undefined) return this.#auth;
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    inBackground(this.#creating);
    await Promise.race([this.#creating, wait(TIMEOUT_MS, undefined, { ref: false })]);
    return this.#auth;
  }

  failure(): DashboardError {
    return this.#hasOtherIssuer ? identityProviderMisconfigured() : identityProviderUnreachable();
  }

  /** Logs why the provider cannot be used, which the library does not report. */
  async #logFailure(): Promise<void> {
    const { id, issuer } = this.#provider;
    const url = discoveryUrl(issuer);
    const cause = await discoveryFailure(url);
    this.#log.warn(
      { identity_provider: id, discovery_url: url, cause },
      `the discovery document of the identity provider cannot be used: check ${settingOf(id, 'ISSUER')}`,
    );
  }

  async #create(): Promise<void> {
    const { id, issuer } = this.#provider;
    try {
      const auth = createAuth(this.#context, { provider: this.#provider });
      const { socialProviders } = await auth.$context;
      const found = socialProviders.find((provider) => provider.id === id);
      this.#hasOtherIssuer = found !== undefined && withoutSlash(found.issuer) !== issuer;
      if (found === undefined) return await this.#logFailure();
      if (this.#hasOtherIssuer) {
        const correction = `set ${settingOf(id, 'ISSUER')} to the issuer of the provider that you mean`;
        const issuers = { setting: issuer, discovery_document: found.issuer };
        this.#log.warn(
          { identity_provider: id, issuers },
          `single sign-on has another issuer: ${correction}`,
        );
        return;
      }
      this.#auth = auth;
      this.#log.info({ identity_provider: id }, 'single sign-on is ready');
    } catch (error) {
      this.#log.warn({ error, identity_provider: id }, 'single sign-on cannot be made ready');
    }
  }
}

/** Returns why a discovery document cannot be used. */
async function discoveryFailure(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return `the provider answered with status ${response.status}`;
    const document = discoveryDocument.safeParse(await response.json());
    return document.success
      ? 'it could not be read a moment ago, but can be now'
      : 'it lacks issuer, jwks_uri or an endpoint';
  } catch (error) {
    const { cause, message } = error instanceof Error ? error : new Error(String(error));
    return cause instanceof Error ? `${message}: ${cause.message}` : message;
  }
}

/** Removes the trailing slash, as the setting does. */
function withoutSlash(issuer: string | undefined): string | undefined {
  return issuer?.replace(/\/+$/, '');
}
