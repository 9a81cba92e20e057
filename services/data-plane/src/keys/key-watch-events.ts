import type { KeyContextMessage, KeyLimitUseMessage } from '@model-gateway/contracts';

export interface KeyWatchEvents {
  /** The key has changed; `revoked` ends its open requests, too. On return the change is applied. */
  keyChanged(change: {
    keyId: string;
    lookupHash: string;
    /** The hash under the pepper that is being replaced. */
    previousLookupHash: string | undefined;
    revoked: boolean;
    revision: number;
    /** Unix milliseconds; undefined: never. */
    expiresAtMs: number | undefined;
  }): void;
  /** Changes may have been missed: everything learnt before `revision` must be forgotten. */
  reset(revision: number): void;
  /** Another data plane needs the money that an allowance of this process does not use. */
  recalled(allowanceId: string, recall: number): void;
  /** Asks how much of their limits these keys use here. */
  limitUseAsked(keys: readonly KeyContextMessage[]): Promise<KeyLimitUseMessage[]>;
  credentialsAsked(variables: readonly string[]): { set: string[]; missing: string[] };
}
