/** Characters that a name has at most: of an account, a key, a team or a pool. */
export const MAX_NAME_LENGTH = 200;
