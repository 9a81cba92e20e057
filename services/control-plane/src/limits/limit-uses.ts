/** How much is used of limits: by key id, then by name. What could not be found out is missing. */
export type LimitUses = Map<string, ReadonlyMap<string, number>>;
