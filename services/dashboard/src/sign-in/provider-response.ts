import { AsyncLocalStorage } from 'node:async_hooks';

/** Groups of a person who signs in, as the identity provider reports them. */
export interface SignInGroups {
  /** Id of the provider. */
  provider: string;
  /** Names or ids. */
  names: string[];
}

/** Facts of an identity provider's response that the sign-in library does not store. */
export interface ProviderResponse {
  groups?: SignInGroups;
  /** Time when the person proved to the provider who they are; absent: the ID token has no auth_time. */
  authenticatedAt?: Date;
  /** True if the sign-in was requested as a proof of identity. */
  isProofRequested?: boolean;
}

const current = new AsyncLocalStorage<ProviderResponse>();

/** Runs a sign-in of the library, and returns the facts that noteResponse noted meanwhile. */
export async function withProviderResponse<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; response: ProviderResponse }> {
  const response: ProviderResponse = {};
  const result = await current.run(response, work);
  return { result, response };
}

/** Notes facts about the response of the current sign-in. */
export function noteResponse(facts: ProviderResponse): void {
  Object.assign(current.getStore() ?? {}, facts);
}

/** Returns the facts noted so far about the response of the current sign-in. */
export function notedResponse(): ProviderResponse {
  return current.getStore() ?? {};
}
