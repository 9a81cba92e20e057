import type { KeyContextMessage, KeyLimitUseMessage } from '@model-gateway/contracts';

export interface KeyWatchEvents {
  /** A key has changed; `revoked` also ends its open requests. The change is applied when this returns. */
  keyChanged(change: {
    keyId: string;
    lookupHash: string;
    /** Hash under the old pepper, while it is replaced. */
    previousLookupHash: string | undefined;
    revoked: boolean;
    revision: number;
    /** Unix milliseconds; undefined: never. */
    expiresAtMs: number | undefined;
  }): void;
  /** Changes may have been missed: forget everything learned before `revision`. */
  reset(revision: number): void;
  /** Another data plane needs the unused money of an allowance. */
  recalled(allowanceId: string, recall: number): void;
  /** Returns how much of their limits these keys use in this process. */
  limitUseRequested(keys: readonly KeyContextMessage[]): Promise<KeyLimitUseMessage[]>;
  credentialsRequested(variables: readonly string[]): { set: string[]; missing: string[] };
  /** Called when a data plane is gone whose responses nobody follows. */
  responsesUnfollowed(): void;
  /** Called when the stream is open: a control plane listens to reports. */
  welcomed(): void;
  /** An operator takes this data plane out of traffic, or back. */
  drainOrdered(drained: boolean): void;
}
