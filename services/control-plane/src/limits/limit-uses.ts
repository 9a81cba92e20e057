export type LimitUses = Map<string, ReadonlyMap<string, number>>;
