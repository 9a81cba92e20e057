export interface StoredKey {
  id: string;
  accountId: string;
  seatId: string | null;
  name: string;
  displayPrefix: string;
  /** issued, playground (hidden) or demo */
  kind: string;
  createdAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Null: if it is revoked, then for good; else until its account is resumed. */
  suspendedAt: Date | null;
  /** Id of the key that it was rotated for. */
  replacedBy: string | null;
}
