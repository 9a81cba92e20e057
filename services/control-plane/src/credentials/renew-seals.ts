import { openAny, type StoredCredentialContext } from './list-credentials.ts';

/**
 * Seals stored credentials also with the new pepper while one is replaced: data planes may have either.
 * Afterwards, deletes the seals of the previous pepper. Keeps values that the current pepper does not open.
 */
export async function renewSeals({
  credentialSeals: seals,
  storedCredentialStore,
}: Pick<StoredCredentialContext, 'credentialSeals' | 'storedCredentialStore'>): Promise<void> {
  const [current] = seals;
  if (current === undefined) return;
  const isCurrent = (row: { pepperFingerprint: string }) => row.pepperFingerprint === current.fingerprint;
  if ((await storedCredentialStore.list()).every(isCurrent)) return;
  await storedCredentialStore.renew((rows) => {
    const renewed = new Set(rows.filter(isCurrent).map(({ name }) => name));
    if (seals.length === 1) {
      return { add: [], forget: rows.filter((row) => !isCurrent(row) && renewed.has(row.name)) };
    }
    const add = rows
      .filter(({ name }) => !renewed.has(name))
      .flatMap((row) => {
        const value = openAny(seals, [row]);
        if (value === undefined) return [];
        const sealed = current.seal(row.name, value);
        return { ...row, pepperFingerprint: current.fingerprint, sealed };
      });
    return { add, forget: [] };
  });
}
