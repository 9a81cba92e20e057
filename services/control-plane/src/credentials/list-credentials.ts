import type { CredentialSeal } from '@model-gateway/shared';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { CredentialStore } from './credential-store.ts';
import type { SealedRow, StoredCredentialStore } from './stored-credential-store.ts';

export interface StoredCredentialContext {
  catalogStore: Pick<CatalogStore, 'read'>;
  credentialStore: Pick<CredentialStore, 'countsInEnvironments'>;
  storedCredentialStore: StoredCredentialStore;
  /** The seal of the current pepper is first. */
  credentialSeals: readonly CredentialSeal[];
}

/** The last characters of a shorter value would reveal too much of it. */
const MIN_SHOWN_LENGTH = 16;
const SHOWN_CHARACTERS = 4;

/** Lists stored credentials and those that the catalog names, by name. */
export async function listCredentials(context: StoredCredentialContext) {
  return { credentials: await describeAll(context) };
}

/** Describes one credential, whether it is stored or not. */
export async function describeCredential(context: StoredCredentialContext, name: string) {
  const described = (await describeAll(context, [name])).find((each) => each.name === name);
  if (described === undefined) throw new Error(`the credential ${name} was not described`);
  return described;
}

async function describeAll(
  { catalogStore, credentialSeals, credentialStore, storedCredentialStore }: StoredCredentialContext,
  named: readonly string[] = [],
) {
  const [{ providers }, rows] = await Promise.all([catalogStore.read(), storedCredentialStore.list()]);
  const inCatalog = providers.flatMap((provider) => provider.credential_env ?? []);
  const names = [...new Set([...named, ...inCatalog, ...rows.map(({ name }) => name)])].sort();
  const counts = await credentialStore.countsInEnvironments(names);
  return names.map((name) => {
    const stored = rows.filter((row) => row.name === name);
    const [first] = stored;
    const value = openAny(credentialSeals, stored);
    const lastFour = lastFourOf(value);
    return {
      name,
      ...omitAbsent({
        setAtMs: first && String(first.setAt.getTime()),
        lastFour,
      }),
      unreadable: first !== undefined && value === undefined,
      ...(counts.get(name) ?? { setIn: 0, missingIn: 0, unknownIn: 0 }),
      providerIds: providers
        .filter((provider) => provider.credential_env?.includes(name) === true)
        .map(({ id }) => id),
    };
  });
}

/** Returns the function that describes stored rows of a credential for audit events, without its value. */
export function describeRows(seals: readonly CredentialSeal[]) {
  return (rows: readonly SealedRow[]) => {
    const [first] = rows;
    if (first === undefined) return null;
    return {
      object: 'credential',
      name: first.name,
      set_at: first.setAt.toISOString(),
      last_four: lastFourOf(openAny(seals, rows)) ?? null,
    };
  };
}

function lastFourOf(value: string | undefined): string | undefined {
  return value !== undefined && value.length >= MIN_SHOWN_LENGTH ? value.slice(-SHOWN_CHARACTERS) : undefined;
}

/** Returns the first value that one of the seals opens. */
export function openAny(
  seals: readonly CredentialSeal[],
  rows: readonly Pick<SealedRow, 'name' | 'sealed'>[],
): string | undefined {
  for (const seal of seals) {
    for (const { name, sealed } of rows) {
      const value = seal.open(name, Buffer.from(sealed));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}
