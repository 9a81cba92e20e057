import { isLoopbackOrigin } from '@model-gateway/service-kit';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { DashboardConfig } from '../config.ts';
import { invalidRequest } from '../errors/request-errors.ts';
import { unknownPasskey } from '../errors/sign-in-errors.ts';
import { ownOrigins } from '../http/own-origin.ts';
import type { SignedInUser } from '../sign-in/holder-session.ts';
import type { OneTimeTokenStore, PasskeyPurpose } from '../sign-in/one-time-token-store.ts';
import { newSignInId } from '../sign-in/user-store.ts';
import type { PasskeyStore, StoredPasskey } from './passkey-store.ts';

/** Time to answer a challenge. */
const VALID_MS = 5 * 60_000;
/** Ed25519, ES256 and RS256 (COSE). Set explicitly, because the default warns about an experiment of Node. */
const ALGORITHMS = [-8, -7, -257];

export interface PasskeysContext {
  config: Pick<DashboardConfig, 'publicUrl' | 'product'>;
  passkeyStore: PasskeyStore;
  oneTimeTokenStore: OneTimeTokenStore;
}

/**
 * Registers and verifies passkeys (WebAuthn). Each must verify its user, by PIN or biometrics, so that it is
 * two factors at once. The domain is that of PUBLIC_URL.
 */
export class Passkeys {
  readonly #context: PasskeysContext;
  readonly #domain: string;
  readonly #origins: string[];

  constructor(context: PasskeysContext) {
    const { publicUrl } = context.config;
    this.#context = context;
    const { hostname } = new URL(publicUrl);
    // Passkeys need a domain name, so `localhost` stands for the addresses of this machine.
    this.#domain = isLoopbackOrigin(publicUrl) ? 'localhost' : hostname;
    this.#origins = [...ownOrigins(publicUrl)];
  }

  /** Returns the options of navigator.credentials.create(). @throws DashboardError service_unavailable */
  async registrationOptions(user: SignedInUser): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await library();
    const { config, passkeyStore } = this.#context;
    const known = await passkeyStore.listOf(user.id);
    return await generateRegistrationOptions({
      rpName: config.product.name,
      rpID: this.#domain,
      userID: new TextEncoder().encode(user.id),
      userName: user.email,
      userDisplayName: user.name,
      challenge: await this.#challenge('passkey-registration', user.id),
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
      supportedAlgorithmIDs: ALGORITHMS,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /**
   * Adds a passkey to a user.
   * @param response of navigator.credentials.create(), as JSON
   * @throws DashboardError invalid_request, service_unavailable
   */
  async register(userId: string, name: string, response: RegistrationResponseJSON): Promise<void> {
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => this.#redeem('passkey-registration', challenge, userId),
      expectedOrigin: this.#origins,
      expectedRPID: this.#domain,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((error: unknown) => {
      throw invalidRequest('this passkey cannot be verified; try again', error);
    });
    if (registrationInfo === undefined) throw invalidRequest('this passkey cannot be verified; try again');
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    await this.#context.passkeyStore.add({
      id,
      userId,
      name,
      publicKey,
      counter: BigInt(counter),
      transports,
    });
  }

  /**
   * Returns the options of navigator.credentials.get().
   * @param userId left out: for a sign-in, with any passkey of this domain
   */
  async proofOptions(userId?: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await library();
    const known = userId === undefined ? [] : await this.#context.passkeyStore.listOf(userId);
    const purpose = userId === undefined ? 'passkey-sign-in' : 'passkey-proof';
    return await generateAuthenticationOptions({
      rpID: this.#domain,
      challenge: await this.#challenge(purpose, userId ?? newSignInId()),
      allowCredentials: known.map(({ id, transports }) => ({ id, transports })),
      userVerification: 'required',
    });
  }

  /**
   * Verifies a challenge that a passkey has signed.
   * @param response of navigator.credentials.get(), as JSON
   * @param userId the signed-in user, who must own the passkey; left out: for a sign-in
   * @returns the id of its user
   * @throws DashboardError wrong_credentials, service_unavailable
   */
  async verify(response: AuthenticationResponseJSON, userId?: string): Promise<string> {
    const { passkeyStore } = this.#context;
    const passkey = await passkeyStore.find(response.id);
    if (passkey === undefined || (userId !== undefined && passkey.userId !== userId)) throw unknownPasskey();
    const newCounter = await this.#verified(passkey, response, userId);
    if (!(await passkeyStore.use(passkey.id, newCounter))) throw unknownPasskey();
    return passkey.userId;
  }

  /** @returns the authenticator's count of uses */
  async #verified(
    { id, publicKey, counter, transports }: StoredPasskey,
    response: AuthenticationResponseJSON,
    userId: string | undefined,
  ): Promise<number> {
    const { verifyAuthenticationResponse } = await library();
    const purpose = userId === undefined ? 'passkey-sign-in' : 'passkey-proof';
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => this.#redeem(purpose, challenge, userId),
      expectedOrigin: this.#origins,
      expectedRPID: this.#domain,
      credential: { id, publicKey, counter: Number(counter), transports },
      requireUserVerification: true,
    }).catch((error: unknown) => {
      throw unknownPasskey(error);
    });
    if (!verified) throw unknownPasskey();
    return authenticationInfo.newCounter;
  }

  async #challenge(purpose: PasskeyPurpose, userId: string) {
    const token = await this.#context.oneTimeTokenStore.create(purpose, userId, VALID_MS);
    return new Uint8Array(Buffer.from(token, 'base64url'));
  }

  async #redeem(purpose: PasskeyPurpose, challenge: string, userId: string | undefined): Promise<boolean> {
    return (await this.#context.oneTimeTokenStore.redeem(purpose, challenge, userId)) !== undefined;
  }
}

/** Loads the library at its first use: it takes a third of a second and 30 MB. */
function library() {
  return import('@simplewebauthn/server');
}
