/** Kinds of pool owners (CONTRIBUTING.md, "Add something"). */
export const LEVEL_KINDS = ['seat', 'team', 'account'] as const;
export type LevelKind = (typeof LEVEL_KINDS)[number];

/**
 * A level whose pools pay for requests. `kind` is any text: allowances and charges treat all kinds alike, and
 * only pool owners are checked against LEVEL_KINDS.
 */
export interface PayerLevel {
  kind: string;
  id: string;
}

/** The levels that pay for a request. The pools of the first level are charged before those of the next. */
export type Payer = readonly PayerLevel[];

/** The account that has a key, and the seat that the key is on, with the seat's team. */
export interface KeyOwner {
  accountId: string;
  seatId?: string | null | undefined;
  teamId?: string | null | undefined;
}

/** Returns the levels that pay for the requests of a key, in charging order. Only this decides the order. */
export function resolvePayer({ accountId, seatId, teamId }: KeyOwner): (PayerLevel & { kind: LevelKind })[] {
  if (!seatId) return [{ kind: 'account', id: accountId }];
  const seat = { kind: 'seat', id: seatId } as const;
  return teamId ? [seat, { kind: 'team', id: teamId }] : [seat];
}

/** Returns a level as the database stores it, such as `team:team_1`. A kind contains no colon. */
export function encodeLevel({ kind, id }: PayerLevel): string {
  return `${kind}:${id}`;
}

export function decodeLevel(text: string): PayerLevel {
  const colon = text.indexOf(':');
  return { kind: text.slice(0, colon), id: text.slice(colon + 1) };
}
