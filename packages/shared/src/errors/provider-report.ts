/** What a provider did in an attempt that failed, such as `answered 404: no such model`. */
export interface ProviderReport {
  /** For the caller: names no host, credential or account of the provider. */
  readonly caller: string;
  /** For the operator: also the provider's words that are not for callers. Left out: the same. */
  readonly operator?: string;
}
