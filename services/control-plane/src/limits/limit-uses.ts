/**
 * How much is used of limits: by key id, then by the limit's name. What could not be found out is not there.
 */
export type LimitUses = Map<string, ReadonlyMap<string, number>>;
