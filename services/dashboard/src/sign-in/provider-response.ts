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
  /** The sign-in was requested to prove again who the person is. */
  isAgain?: boolean;
}

const current = new AsyncLocalStorage<ProviderResponse>();

/** Runs a sign-in of the library, and returns what was noted meanwhile. */
export async function withProviderResponse<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; response: ProviderResponse }> {
  const response: ProviderResponse = {};
  const result = await current.run(response, work);
  return { result, response };
}

/** Adds facts to the response of the sign-in that runs. */
export function noteResponse(facts: ProviderResponse): void {
  Object.assign(current.getStore() ?? {}, facts);
}

/** Returns what the sign-in that runs has noted. */
export function notedResponse(): ProviderResponse {
  return current.getStore() ?? {};
}
