/** Connections of others: four for each of five dashboards, migrations, a backup. */
const OTHERS = 22;
const LISTENING = 1;
const MAX_READING = 6;
const READING_SHARE = 3;

export interface ConnectionShares {
  /** For requests: keys, money, settlements. */
  working: number;
  /** For lists, sums and exports, whose size depends on users. */
  reading: number;
}

/** @param connections at least 5 */
export function connectionShares(connections: number): ConnectionShares {
  const rest = connections - LISTENING;
  const reading = Math.min(MAX_READING, Math.floor(rest / READING_SHARE));
  return { working: rest - reading, reading };
}

/**
 * @returns a warning when all control planes together may ask for more connections than Postgres allows;
 *   undefined when they fit
 */
export function overdrawnBudget(
  { allowed, setBy }: { allowed: number; setBy: string },
  { databaseConnections, maxControlPlanes }: { databaseConnections: number; maxControlPlanes: number },
): string | undefined {
  const needed = databaseConnections * maxControlPlanes + OTHERS;
  if (needed <= allowed) return undefined;
  const fitting = Math.floor((allowed - OTHERS) / maxControlPlanes);
  return (
    `Postgres allows ${allowed} connections (${setBy}), and ${maxControlPlanes} control planes with ` +
    `${databaseConnections} each and ${OTHERS} of dashboards and migrations make ${needed}: raise ${setBy}` +
    (fitting >= 5 ? `, or set DATABASE_CONNECTIONS to ${fitting} or less` : '')
  );
}
