import type { StoredScimToken } from './tokens/stored-token.ts';

/** The users and groups of one identity provider: those of the tokens with one name and account. */
export interface Directory {
  key: string;
  /** Name of its tokens. */
  provider: string;
  /** Account whose members it provisions; null: every user has an account of its own. */
  accountId: string | null;
}

export function directoryOf({ accountId, name }: Pick<StoredScimToken, 'accountId' | 'name'>): Directory {
  return { key: `${accountId ?? ''}/${name}`, provider: name, accountId };
}
