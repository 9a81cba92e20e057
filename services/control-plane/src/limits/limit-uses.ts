/** How much of each limit is used: by key id, then by the limit's name. Unknown figures are left out. */
export type LimitUses = Map<string, ReadonlyMap<string, number>>;
