/** Describes what a provider did in a failed attempt, such as `answered 404: no such model`. */
export interface ProviderReport {
  /** Names no host, credential or account of the provider. */
  readonly caller: string;
  /** Has also the provider's words that are not for callers. Left out: the same. */
  readonly operator?: string;
}
